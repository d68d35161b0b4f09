import { GatewayError } from '#shared/client/gateway-error.ts';
import type { RoutePreview } from '#shared/contract/chat/routing.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { Quote } from '#shared/wire/quote.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { fromGateway, quoteGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import type { ToPart } from '../../request/history.ts';
import { getQuestion } from '../../request/history.ts';
import type { BuildRequest } from '../../request/request.ts';
import { getCandidates } from './read-routing.ts';

export interface PreviewRouteDeps extends Naming {
  readonly messages: Pick<MessageStore, 'branch' | 'find' | 'above'>;
  readonly getLeaf: (conversationId: string) => Promise<string | null>;
  readonly connections: Connections;
  readonly build: BuildRequest;
  readonly placeholder: ToPart;
}

interface Ask {
  readonly conversationId: string | null;
  /** The message that is replaced: an edited message of the user, or an answer that is requested again. */
  readonly inPlaceOf: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The folder of a new conversation. */
  readonly folderId?: string | null | undefined;
  /** The key of a window's new chat. A new conversation takes over its options. */
  readonly newChat?: string | null | undefined;
}

/** Previews the router’s choice for a message, with the gateway’s quote (wire contract §5.6, §10). */
export function previewRoute(deps: PreviewRouteDeps) {
  const { messages, getLeaf, connections, modelFacts, build, placeholder } = deps;

  /** Returns the branch that would be sent, ending with the question. */
  async function getBranch({ conversationId, inPlaceOf, text, attachments }: Ask) {
    const question = { ...asked, text, attachments: [...attachments] };
    if (conversationId === null) return [question];
    if (inPlaceOf === null)
      return [...(await messages.branch(conversationId, await getLeaf(conversationId))), question];
    const before = await messages.find(inPlaceOf);
    if (!before) throw refusal('not_found', 'messageGone');
    if (before.role === 'user') return [...(await messages.branch(conversationId, before.parentId)), question];
    return messages.branch(conversationId, (await getQuestion(messages, before)).id);
  }

  /** Returns null if this gateway has no quotes. */
  async function quote(ask: Ask, signal: AbortSignal | undefined): Promise<Quote | null> {
    const { conversationId, folderId, newChat, model } = ask;
    const branch = await getBranch(ask);
    const { body } = await build({ conversationId, folderId, newChat, branch, model }, placeholder);
    const { client } = await connections.payerFor(model);
    try {
      return await client.quote(body, { ...(signal ? { signal } : {}), headers: { 'x-portico-route-detail': 'full' } });
    } catch (error) {
      if (error instanceof GatewayError && [404, 405, 501].includes(error.status_code) && !known.has(error.code))
        return null;
      throw fromGateway(error, deps);
    }
  }

  return async function route(ask: Ask, signal: AbortSignal | undefined): Promise<RoutePreview> {
    const quoted = await quote(ask, signal);
    if (!quoted || quoted.routing.policy === 'direct') return { known: false };
    const { routing } = quoted;
    const { selected } = routing;
    const candidates = getCandidates(routing, modelFacts);
    const next = candidates.find(({ id, score }) => id !== selected && score !== null);
    const other = next ? await quote({ ...ask, model: next.id }, signal) : null;
    return {
      known: true,
      decision: {
        selected: { id: selected, name: modelFacts(selected)?.name ?? selected },
        policy: routing.policy,
        tier: routing.complexity?.tier ?? null,
        relaxed: routing.relaxed ?? false,
        candidates,
      },
      costUsd: getCost(quoted),
      simulated: modelFacts(selected)?.simulated ?? false,
      alternative: next ? { id: next.id, name: next.name, costUsd: other && getCost(other) } : null,
      obstacles: quoted.limits.map(({ code, message }) => quoteGateway(code, message)),
    };
  };
}

/** Codes of refusals that share their status with a missing endpoint. */
const known = new Set(['model_not_found', 'no_eligible_model']);

const asked = { id: 'question', role: 'user', status: 'done' } as const;

const getCost = (quote: Quote) => (quote.prices_as_of === null ? null : quote.cost_usd);

import { GatewayError } from '#shared/client/gateway-error.ts';
import type { RoutingAnswer, RoutingDecision } from '#shared/contract/chat/routing.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Routing } from '#shared/wire/chat-response.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { costOfRecord } from '../../billing/costs/cost.ts';
import { costInstead } from '../../billing/costs/other-prices.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';

export interface RoutingDeps {
  readonly messages: Pick<MessageStore, 'getRequest'>;
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
}

/** Reads the router’s decision for an answer from the gateway that was paid (wire contract §5.6, §10). */
export async function readRouting(
  { messages, connections, modelFacts }: RoutingDeps,
  messageId: string,
  signal: AbortSignal | undefined,
): Promise<RoutingAnswer> {
  const request = await messages.getRequest(messageId);
  if (!request) throw refusal('not_found', 'answerGone');
  if (request.requestId === null || request.source === null) return { known: false, why: 'no_decision' };
  const payer = await connections.bySource(request.source);
  if (!payer) return { known: false, why: 'other_gateway' };
  try {
    const record = await payer.client.requestRecord(request.requestId, signal ? { signal } : {});
    if (record.status === 'running') return { known: false, why: 'settling' };
    if (!record.routing || record.routing.policy === 'direct') return { known: false, why: 'no_decision' };
    return { known: true, decision: getDecision(record, record.routing, modelFacts, request.source) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === 'request_not_found') return { known: false, why: 'no_decision' };
    if ([404, 405, 501].includes(error.status_code)) return { known: false, why: 'no_records' };
    throw error;
  }
}

type Candidate = RoutingDecision['candidates'][number];

/** Returns the candidates of a decision, best score first and the excluded ones last. */
export function getCandidates(routing: Routing, modelFacts: DescribeModel): Candidate[] {
  const named = (id: string) => ({ id, name: modelFacts(id)?.name ?? id });
  return (routing.candidates ?? [])
    .map((raw): Candidate => {
      const pricing = modelFacts(raw.id)?.record.pricing;
      return {
        ...named(raw.id),
        price: pricing ? { prompt: pricing.prompt, completion: pricing.completion } : null,
        score: typeof raw.score === 'number' ? raw.score : null,
        excluded: Array.isArray(raw.excluded) ? raw.excluded.filter((reason) => typeof reason === 'string') : [],
      };
    })
    .toSorted((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity) || (a.id < b.id ? -1 : 1));
}

function getDecision(
  record: RequestRecord,
  routing: Routing,
  modelFacts: DescribeModel,
  source: string,
): RoutingDecision {
  const named = (id: string) => ({ id, name: modelFacts(id)?.name ?? id });
  const candidates = getCandidates(routing, modelFacts);
  return {
    selected: named(routing.selected),
    policy: routing.policy,
    tier: routing.complexity?.tier ?? null,
    relaxed: routing.relaxed ?? false,
    candidates,
    attempts: routing.attempts.map(({ provider, model, status, code, latency_ms }) => ({
      ...named(`${provider}/${model}`),
      failed: status === 'error',
      code,
      latencyMs: latency_ms,
    })),
    alternative: alternativeTo(routing.selected, candidates, record, modelFacts, source),
  };
}

function alternativeTo(
  selected: string,
  candidates: readonly Candidate[],
  record: RequestRecord,
  modelFacts: DescribeModel,
  source: string,
): RoutingDecision['alternative'] {
  const next = candidates.find(({ id, score, price }) => id !== selected && score !== null && price !== null);
  const pricing = next && modelFacts(next.id)?.record.pricing;
  if (!pricing || record.total_tokens === 0) return null;
  const cost = costInstead(pricing, {
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    reasoningTokens: record.reasoning_tokens,
  });
  const { costUsd } = costOfRecord(record, source);
  const moreUsd = costUsd === null ? null : formatUsd(nanoUsd(cost - parseUsd(costUsd)));
  return { id: next.id, name: next.name, costUsd: formatUsd(cost), moreUsd };
}

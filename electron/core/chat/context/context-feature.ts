import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { Summary } from '#shared/contract/chat/context.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';
import { billOfChunk, billOfRecord, costOfChunk, costOfRecord, uncharged } from '../../billing/costs/cost.ts';
import { settledRecord } from '../../billing/costs/cost-lookup.ts';
import type { SpendStore } from '../../billing/costs/spend-store.ts';
import type { ConversationStore } from '../../conversations/conversation-store.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import type { Admission } from '../../request/admission.ts';
import { type HistoryEntry, sendable, wordsWithCalls } from '../../request/history.ts';
import { purposeOfRequest } from '../../request/request.ts';
import { getRequestName, namedRequest } from '../../runtime/named-request.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { keptSource } from '../../storage/database/message-row.ts';
import type { SummaryStore } from './summary-store.ts';

interface CompactPlan {
  readonly throughId: string;
  /** How many messages it replaces, including those of an earlier summary. */
  readonly messages: number;
  readonly body: CompletionRequestBody;
}

const answerTokens = 1500;
const instruction =
  'Summarise the conversation below so that it can go on without its text. Keep names, numbers, decisions, code ' +
  'identifiers and open questions exactly. Write in the language of the conversation, as notes, without an introduction.';

/**
 * Plans a summary of the older half, by tokens, of the messages that are still sent, or less if the model can't read
 * that much at once. The part ends with an answer, so the rest begins with a question. Null if there is too little to
 * summarise.
 */
function planCompact(
  branch: readonly HistoryEntry[],
  before: { throughId: string; text: string } | null,
  record: Model | null,
  conversationId: string,
  model: string,
): CompactPlan | null {
  const entries = sendable(branch);
  const begin = before ? entries.findIndex(({ id }) => id === before.throughId) + 1 : 0;
  const after = entries.slice(begin);
  const sizes = after.map((entry) =>
    estimateInputTokens([{ role: 'assistant', content: wordsWithCalls(entry) }], undefined),
  );
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2;
  const freeTokens =
    (record?.context_length ?? Number.POSITIVE_INFINITY) - answerTokens - 500 - (before?.text.length ?? 0);
  let sum = 0;
  let end = 0;
  for (const [index, size] of sizes.entries()) {
    sum += size;
    if (sum > freeTokens || index >= after.length - 2) break;
    if (after[index]?.role === 'assistant' && after[index + 1]?.role !== 'assistant') end = index + 1;
    if (sum >= half && end > 0) break;
  }
  const last = after[end - 1];
  if (end < 2 || !last) return null;
  const takesLimit = !record || record.supported_parameters.includes('max_tokens');
  return {
    throughId: last.id,
    messages: begin + end,
    body: {
      model,
      messages: [
        { role: 'system', content: instruction },
        { role: 'user', content: transcript(before?.text ?? null, after.slice(0, end)) },
      ],
      ...(takesLimit ? { max_tokens: answerTokens } : {}),
      ...purposeOfRequest(record?.other === true, 'compact', conversationId),
    },
  };
}

function transcript(before: string | null, entries: readonly HistoryEntry[]): string {
  const lines = entries.map((entry) => {
    const { role, attachments } = entry;
    const files = attachments.map(({ name }) => `[attached: ${name}]\n`).join('');
    return `${role === 'user' ? 'User' : 'Assistant'}:\n${files}${wordsWithCalls(entry)}`;
  });
  return [...(before === null ? [] : [`Summary of what came before:\n${before}`]), ...lines].join('\n\n');
}

export interface CompactDeps extends CoreContext, Naming {
  readonly messages: Pick<MessageStore, 'branch'>;
  readonly conversations: Pick<ConversationStore, 'find'>;
  readonly summaries: SummaryStore;
  readonly spend: Pick<SpendStore, 'add'>;
  readonly connections: Connections;
  readonly admission: Admission;
  readonly getQuote: (body: CompactBody) => Promise<{ low: string; high: string } | null>;
}

type CompactBody = NonNullable<ReturnType<typeof planCompact>>['body'];

interface Compact {
  readonly conversationId: string;
  readonly model: string;
}

/** Writes summaries that replace old messages. A summary is a normal request, with a quote and a cost that is shown. */
export function contextFeature(deps: CompactDeps) {
  const { messages, conversations, summaries, modelFacts, changes, readers } = deps;

  async function getBranch(conversationId: string) {
    const row = await conversations.find(conversationId);
    if (!row) throw refusal('not_found', 'conversationGone');
    return messages.branch(conversationId, row.active_leaf);
  }

  async function plan({ conversationId, model }: Compact) {
    const branch = await getBranch(conversationId);
    const before = await summaries.of(
      conversationId,
      branch.map(({ id }) => id),
    );
    return planCompact(branch, before, modelFacts(model)?.record ?? null, conversationId, model);
  }

  return {
    async summary({ conversationId }: { conversationId: string }): Promise<Summary | null> {
      const branch = await getBranch(conversationId);
      return summaries.of(
        conversationId,
        branch.map(({ id }) => id),
      );
    },

    async quoteCompact(input: Compact) {
      const planned = await plan(input);
      if (!planned) return null;
      const simulated = modelFacts(input.model)?.simulated ?? false;
      return { messages: planned.messages, costUsd: await deps.getQuote(planned.body), simulated };
    },

    async compact({ overCaps, ...input }: Compact & { overCaps: boolean }, signal: AbortSignal | undefined) {
      const planned = await plan(input);
      if (!planned) throw refusal('invalid_input', 'nothingToSummarise');
      const id = deps.newId();
      const context = {
        limitTokens: null,
        usedTokens: 0,
        reservedTokens: 0,
        maxMessages: null,
        notSentIds: [],
        overflows: false,
      };
      const request = { body: planned.body, context, unread: [] };
      await deps.admission.admit({ answerId: id, conversationId: input.conversationId, request, overCaps });
      const written = await write(deps, id, input, planned.body, signal);
      const { throughId, messages: count } = planned;
      const summary: Summary = {
        id,
        throughId,
        messages: count,
        model: input.model,
        createdAt: deps.now(),
        ...written,
      };
      await summaries.add(input.conversationId, summary);
      readers.publish(input.conversationId, { type: 'conversation-changed' });
      changes.emit('context', 'account');
      return summary;
    },

    async removeSummary({ conversationId }: { conversationId: string }): Promise<void> {
      await summaries.remove(conversationId);
      changes.emit('context');
    },
  };
}

type Written = Pick<Summary, 'text' | 'costUsd' | 'costSource' | 'simulated' | 'bill'>;

/** Requests the summary. Its cost is recorded even if it fails. */
async function write(
  { connections, modelFacts, providerName, spend, now }: CompactDeps,
  id: string,
  { conversationId, model }: Compact,
  body: CompactBody,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const payer = await connections.payerFor(model);
  let requestId: string | null = null;
  let text = '';
  let cost: Pick<Summary, 'costUsd' | 'costSource'> = { costUsd: null, costSource: 'unknown' };
  let simulated = modelFacts(model)?.simulated ?? payer.billingAccount === 'sandbox';
  const name = getRequestName(payer, id);
  const keep = () =>
    spend.add({
      id,
      conversation_id: conversationId,
      request_id: requestId,
      purpose: 'compact',
      simulated: simulated ? 1 : 0,
      cost_usd: cost.costUsd,
      cost_source: keptSource(cost.costSource),
      at: now(),
      client_request_id: name,
      source: payer.source,
    });
  // The name is stored before the request is sent, because after a crash it leads to the charge.
  await keep();
  const stream = await askGateway(
    () =>
      payer.client
        .completionStream(body, { ...(signal ? { signal } : {}), headers: namedRequest(name) })
        .catch(async (error: unknown) => {
          // The gateway never charges a refused request (wire contract §1.4.7).
          if (error instanceof GatewayError && error.status_code > 0) cost = uncharged;
          await keep();
          throw error;
        }),
    { modelFacts, providerName },
  );
  requestId = stream.requestId;
  await keep();
  let bill: Summary['bill'] = null;
  let isCostKnown = false;
  try {
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (!chunk.usage) continue;
      const facts = modelFacts(chunk.routing?.selected ?? model);
      simulated = facts?.simulated ?? simulated;
      cost = costOfChunk(chunk, facts, payer.source);
      bill = billOfChunk(chunk);
      isCostKnown = chunk.portico !== undefined;
    }
  } finally {
    const record =
      stream.requestId === null || isCostKnown ? null : await settledRecord(payer.client, stream.requestId, undefined);
    if (record !== null && typeof record !== 'string') {
      cost = costOfRecord(record, payer.source);
      bill = billOfRecord(record, payer.source);
    }
    await keep();
  }
  if (text.trim() === '') throw refusal('upstream_bad_response', 'noSummary');
  return { text, simulated, bill, ...cost };
}

import { GatewayError } from '#shared/client/gateway-error.ts';
import type { Summary } from '#shared/contract/context.ts';
import { AppError } from '#shared/errors.ts';
import type { SpendStore } from '../caps/spend-store.ts';
import type { Changes } from '../changes.ts';
import type { Connections } from '../connections.ts';
import type { SummaryStore } from '../context/summary-store.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { MessageStore } from '../conversations/message-store.ts';
import { askGateway } from '../gateway-errors.ts';
import type { DescribeModel } from '../model-facts.ts';
import type { Admission } from './admission.ts';
import { planCompact } from './compact-plan.ts';
import { billOfRecord, costOfChunk, costOfRecord } from './cost.ts';
import { namedRequest } from './named-request.ts';
import { settledRecord } from './settled-record.ts';

export interface CompactDeps {
  readonly messages: Pick<MessageStore, 'branch'>;
  readonly conversations: Pick<ConversationStore, 'find'>;
  readonly summaries: SummaryStore;
  readonly spend: Pick<SpendStore, 'add'>;
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
  readonly admission: Admission;
  readonly quoteOf: (body: CompactBody) => Promise<{ low: string; high: string } | null>;
  readonly changes: Changes;
  readonly now: () => number;
  readonly newId: () => string;
}

type CompactBody = NonNullable<ReturnType<typeof planCompact>>['body'];

interface Compact {
  readonly conversationId: string;
  readonly model: string;
}

/** Summaries in place of what no longer fits: a model call like any other, quoted, billed and shown. */
export function contextFeature(deps: CompactDeps) {
  const { messages, conversations, summaries, modelFacts, changes } = deps;

  async function branchOf(conversationId: string) {
    const row = await conversations.find(conversationId);
    if (!row) throw new AppError('not_found', 'This conversation is not here any more.');
    return messages.branch(conversationId, row.active_leaf);
  }

  async function plan({ conversationId, model }: Compact) {
    const branch = await branchOf(conversationId);
    const before = await summaries.of(
      conversationId,
      branch.map(({ id }) => id),
    );
    return planCompact(branch, before, modelFacts(model)?.record ?? null, conversationId, model);
  }

  return {
    async summary({ conversationId }: { conversationId: string }): Promise<Summary | null> {
      const branch = await branchOf(conversationId);
      return summaries.of(
        conversationId,
        branch.map(({ id }) => id),
      );
    },

    async quoteCompact(input: Compact) {
      const planned = await plan(input);
      if (!planned) return null;
      const simulated = modelFacts(input.model)?.simulated ?? false;
      return { messages: planned.messages, costUsd: await deps.quoteOf(planned.body), simulated };
    },

    async compact({ overCaps, ...input }: Compact & { overCaps: boolean }, signal: AbortSignal | undefined) {
      const planned = await plan(input);
      if (!planned) throw new AppError('invalid_input', 'There is nothing here that a summary could stand for.');
      const id = deps.newId();
      const context = { limitTokens: null, usedTokens: 0, outsideIds: [], overflows: false };
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
      changes.emit('context', 'messages', 'account');
      return summary;
    },

    async removeSummary({ conversationId }: { conversationId: string }): Promise<void> {
      await summaries.remove(conversationId);
      changes.emit('context', 'messages');
    },
  };
}

type Written = Pick<Summary, 'text' | 'costUsd' | 'costSource' | 'simulated' | 'bill'>;

/** Asks for the summary. What it cost is written down whatever becomes of it. */
async function write(
  { connections, modelFacts, spend, now }: CompactDeps,
  id: string,
  { conversationId, model }: Compact,
  body: CompactBody,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const payer = await connections.payerFor(model);
  let requestId: string | null = null;
  let text = '';
  let cost: Pick<Summary, 'costUsd' | 'costSource'> = { costUsd: null, costSource: 'unknown' };
  let simulated = modelFacts(model)?.simulated ?? payer.wallet === 'sandbox';
  const keep = () =>
    spend.add({
      ...{ id, conversation_id: conversationId, request_id: requestId, purpose: 'compact' },
      ...{ simulated: simulated ? 1 : 0, cost_usd: cost.costUsd, cost_source: cost.costSource, at: now() },
      ...{ client_request_id: id, source: payer.source },
    });
  // Before the network is touched: by its name the charge is found after a crash.
  await keep();
  const stream = await askGateway(() =>
    payer.client
      .completionStream(body, { ...(signal ? { signal } : {}), headers: namedRequest(id) })
      .catch(async (error: unknown) => {
        // A gateway that refuses charges nothing (wire contract §1.4.7).
        if (error instanceof GatewayError && error.status_code > 0) cost = { costUsd: '0', costSource: 'billed' };
        await keep();
        throw error;
      }),
  );
  requestId = stream.requestId;
  await keep();
  let bill: Summary['bill'] = null;
  try {
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (!chunk.usage) continue;
      const facts = modelFacts(chunk.routing?.selected ?? model);
      simulated = facts?.simulated ?? simulated;
      cost = costOfChunk(chunk, facts?.priced);
    }
  } finally {
    const record = stream.requestId === null ? null : await settledRecord(payer.client, stream.requestId, undefined);
    if (record !== null && record !== 'none') {
      cost = costOfRecord(record);
      bill = billOfRecord(record);
    }
    await keep();
  }
  if (text.trim() === '') throw new AppError('upstream_bad_response', 'The model wrote no summary. Try another model.');
  return { text, simulated, bill, ...cost };
}

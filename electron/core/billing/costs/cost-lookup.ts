import { parsePricing } from '#shared/bill-lines.ts';
import type { ReportedRequest } from '#shared/client/reported.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
import type { ThreadReaders } from '../../runtime/streams/thread-readers.ts';
import type { AnswerPatch, MessageRow } from '../../storage/database/message-row.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { billOfRecord, costOfRecord, estimatedCost, uncharged, usageOfRecord } from './cost.ts';
import { lookUpUnsettled } from './look-up-unsettled.ts';
import { getRecord } from './record-of.ts';

export interface CostLookupDeps {
  readonly messages: MessageStore;
  readonly connections: Connections;
  readonly settings: SettingsStore;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  readonly modelFacts: DescribeModel;
  readonly changes: Changes;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Looks up the costs of ended answers that their stream did not tell. Never throws. */
export const costLookup = (deps: CostLookupDeps) =>
  lookUpUnsettled({ open: deps.messages.costOpen, lookUp: (row) => lookUp(deps, row), log: deps.log });

async function lookUp(deps: CostLookupDeps, row: MessageRow): Promise<void> {
  const patch = await patchFor(deps, row);
  if (!patch || deps.signal.aborted) return;
  await deps.messages.update(row.id, patch);
  // Sums of continuations change too; a running one is published at its end.
  for (const message of await deps.messages.goingOnWith(row.id)) {
    if (message.status !== 'streaming')
      deps.readers.publish(message.conversationId, { type: 'message-updated', message });
  }
  deps.changes.emit('account');
}

/** Null: not known yet; asked again at the next start. */
async function patchFor(deps: CostLookupDeps, row: MessageRow): Promise<AnswerPatch | null> {
  const { connections, signal } = deps;
  const name = row.client_request_id;
  if (row.source === null || (row.request_id === null && name === null)) return { costOpen: false };
  const payer = await connections.bySource(row.source);
  if (!payer) return null;
  const asked = { requestId: row.request_id, name, at: row.created_at };
  const record = await getRecord(deps.settings, payer, asked, signal);
  if (record === null || signal.aborted) return null;
  if (record === 'none') return { ...uncharged, costOpen: false };
  if (record === 'no-records') return { ...(await withoutRecord(deps, row)), costOpen: false };
  return { ...toPatch(record, row.source), requestId: record.id, costOpen: false };
}

/**
 * For a gateway without costs: estimated tokens at list prices, marked as an estimate. Else it stays unknown, which is not
 * zero.
 */
async function withoutRecord({ messages, modelFacts }: CostLookupDeps, row: MessageRow): Promise<AnswerPatch> {
  if (row.cost_usd !== null) return {};
  // Other gateways may name what served by its whole id, or by a version of the model that was asked for.
  const names = [`${row.served_provider}/${row.served_model}`, row.served_model ?? '', row.model ?? ''];
  const pricing = names.map(modelFacts).find((facts) => facts !== null)?.record.pricing;
  if (row.usage !== null || !pricing || row.text === '' || row.status === 'error') return {};
  const branch = await messages.branch(row.conversation_id, row.parent_id);
  return estimatedCost(parsePricing(pricing), branch, `${row.reasoning}${row.text}`);
}

/** The cost of an answer from the record of its request. `source`: the account that pays. */
export function toPatch(
  record: ReportedRequest,
  source: string,
): Pick<Message, 'costUsd' | 'costSource' | 'bill'> & Partial<Pick<Message, 'usage'>> {
  const usage = usageOfRecord(record);
  return { ...costOfRecord(record, source), bill: billOfRecord(record, source), ...(usage ? { usage } : {}) };
}

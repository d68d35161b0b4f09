import { parsePricing } from '#shared/bill-lines.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { ReportedRequest } from '#shared/client/reported.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';
import { failureEntry, type Log } from '../../runtime/log/log.ts';
import { findNamedRequest } from '../../runtime/named-request.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
import { pause } from '../../runtime/streams/pace.ts';
import type { ThreadReaders } from '../../runtime/streams/thread-readers.ts';
import { type AnswerPatch, keptSource, type MessageRow } from '../../storage/database/message-row.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { billOfRecord, costOfRecord, estimatedCost, uncharged, usageOfRecord } from './cost.ts';
import type { SpendStore } from './spend-store.ts';

const replacedSetting = 'ledger.replaced';

/**
 * From now on the books of the gateway inside do not know all that was asked before: noted before they are replaced. Returns what
 * takes the note back, where they were not.
 */
export async function noteReplacedLedger(settings: SettingsStore, now: number): Promise<() => Promise<void>> {
  const before = await settings.read(replacedSetting);
  await settings.write(replacedSetting, now);
  return () => (before === undefined ? settings.forget(replacedSetting) : settings.write(replacedSetting, before));
}

interface Asked {
  readonly requestId: string | null;
  /** What the request was named when it was sent; null: it has no name. */
  readonly name: string | null;
  readonly at: number;
}

/**
 * The gateway's record of what was asked, as `settledRecord` tells it. What is missing from books that replaced those in which it was
 * asked is not known, and may be there again.
 */
export async function getRecord(
  settings: Pick<SettingsStore, 'read'>,
  { client, source }: Pick<Payer, 'client' | 'source'>,
  { requestId, name, at }: Asked,
  signal: AbortSignal,
): Promise<ReportedRequest | 'none' | 'no-records' | null> {
  const id = requestId ?? (name === null ? 'none' : await findNamedRequest(client, name, at, signal));
  const record = id === null || id === 'none' || id === 'no-records' ? id : await settledRecord(client, id, signal);
  if (record !== 'none' || !source.startsWith('embedded/')) return record;
  return at <= Number((await settings.read(replacedSetting)) ?? 0) ? null : 'none';
}

/** A stopped request is settled slightly after its stream ends, or once its count has come, within a minute. */
const waitsMs = [0, 100, 300, 1000, 3000, 10_000, 30_000, 30_000];

/**
 * The gateway’s record of a settled request. `none`: it keeps records and never opened this one, so that nothing was charged.
 * `no-records`: it keeps none, or has not got this one after all the waiting. Null: not known yet; asked again at the next start.
 */
export async function settledRecord(
  client: Pick<GatewayClient, 'requestRecord'>,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<ReportedRequest | 'none' | 'no-records' | null> {
  let missing = false;
  for (const waitMs of waitsMs) {
    await pause(waitMs, signal);
    if (signal?.aborted) return null;
    try {
      const record = await client.requestRecord(requestId, signal ? { signal } : {});
      if (record.status !== 'running') return record;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.code === 'request_not_found') return 'none';
      if (isLacking(error)) return 'no-records';
      missing = error.code === 'generation_not_found';
      if (error.status_code === 401 || error.status_code === 403) return null;
    }
  }
  return missing ? 'no-records' : null;
}

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

interface Asking<Row> {
  /** Requests whose cost is not known. */
  readonly open: () => Promise<readonly Row[]>;
  readonly lookUp: (row: Row) => Promise<void>;
  readonly log: Log;
}

/** Looks up the cost of each such request, not twice at a time; resolves when all of them were. Never throws. */
export function lookUpUnsettled<Row extends { readonly id: string }>({ open, lookUp, log }: Asking<Row>) {
  const asking = new Map<string, Promise<void>>();
  function ask(row: Row): Promise<void> {
    const asked = asking.get(row.id) ?? lookUp(row).finally(() => asking.delete(row.id));
    asking.set(row.id, asked);
    return asked;
  }
  return async function askAgain(): Promise<void> {
    try {
      await Promise.all((await open()).map(ask));
    } catch (error) {
      log({ event: 'cost_lookup_failed', ...failureEntry(error) });
    }
  };
}

interface SpendLookupDeps {
  readonly spend: Pick<SpendStore, 'openRequests' | 'giveUp' | 'add'>;
  readonly connections: Connections;
  readonly settings: SettingsStore;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type SpendRow = Awaited<ReturnType<SpendStore['openRequests']>>[number];

/**
 * Looks up the costs of summaries that a crash interrupted: those open at the start, until they are known. The first
 * call collects them; their gateway may be connected later. Never throws.
 */
export function spendLookup(deps: SpendLookupDeps) {
  let left: Promise<Map<string, SpendRow>> | undefined;
  const atStart = async () => new Map((await deps.spend.openRequests()).map((row) => [row.id, row]));
  return lookUpUnsettled<SpendRow>({
    async open() {
      left ??= atStart();
      return [...(await left).values()];
    },
    async lookUp(row) {
      if (await lookUpSpend(deps, row)) (await left)?.delete(row.id);
    },
    log: deps.log,
  });
}

async function lookUpSpend(
  { spend, connections, settings, changes, readers, signal }: SpendLookupDeps,
  row: SpendRow,
): Promise<boolean> {
  const payer = row.source === null ? null : await connections.bySource(row.source);
  if (!payer || row.client_request_id === null) return false;
  const asked = { requestId: row.request_id, name: row.client_request_id, at: row.at };
  const record = await getRecord(settings, payer, asked, signal);
  if (record === null || signal.aborted) return false;
  if (record === 'no-records') {
    await spend.giveUp(row.id);
    return true;
  }
  const known =
    record === 'none' ? { ...uncharged, id: null } : { ...costOfRecord(record, payer.source), id: record.id };
  const cost_source = keptSource(known.costSource);
  await spend.add({ ...row, request_id: known.id, cost_usd: known.costUsd, cost_source });
  // A cost that stays unknown is not asked for again.
  if (known.costUsd === null) await spend.giveUp(row.id);
  readers.publish(row.conversation_id, { type: 'conversation-changed' });
  changes.emit('account');
  return true;
}

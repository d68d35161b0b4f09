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
import { pause } from '../../runtime/streams/pace.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { type AnswerPatch, keptSource, type MessageRow } from '../../storage/database/message-row.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { billOfRecord, costOfRecord, estimatedCost, uncharged, usageOfRecord } from './cost.ts';
import type { SpendStore } from './spend-store.ts';

const replacedSetting = 'ledger.replaced';

/**
 * Notes that the built-in gateway's ledger is about to be replaced, so it won't have the records of earlier requests.
 * Returns a function that takes the note back if the ledger wasn't replaced after all.
 */
export async function noteReplacedLedger(settings: SettingsStore, now: number): Promise<() => Promise<void>> {
  const before = await settings.read(replacedSetting);
  await settings.write(replacedSetting, now);
  return () => (before === undefined ? settings.forget(replacedSetting) : settings.write(replacedSetting, before));
}

interface Asked {
  readonly requestId: string | null;
  /** The name that the request was sent with, or null if it had none. */
  readonly name: string | null;
  readonly at: number;
}

/**
 * Returns the gateway's record of a request, like `settledRecord`. If the built-in gateway's ledger was replaced after
 * the request, a missing record means an unknown cost (null), because the old ledger may be restored later.
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

/**
 * A stopped request is settled a moment after its stream ends. If the provider reports the token count late, it can
 * take up to a minute.
 */
const waitsMs = [0, 100, 300, 1000, 3000, 10_000, 30_000, 30_000];

/**
 * Waits for the gateway’s record of a settled request. `none`: the gateway keeps records and never opened this one, so
 * nothing was charged. `no-records`: the gateway keeps no records, or still doesn't have this one at the end of the
 * wait. Null: not known yet, and asked again at the next start.
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

export interface CostLookupDeps extends CoreContext {
  readonly messages: MessageStore;
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
}

/** Looks up the costs of ended answers whose stream didn't report them. Never throws. */
export const costLookup = (deps: CostLookupDeps) =>
  lookUpUnsettled({ open: deps.messages.costOpen, lookUp: (row) => lookUp(deps, row), log: deps.log });

async function lookUp(deps: CostLookupDeps, row: MessageRow): Promise<void> {
  const patch = await patchFor(deps, row);
  if (!patch || deps.closing.aborted) return;
  await deps.messages.update(row.id, patch);
  // The sums of its continuations change too. A running one is published when it ends.
  for (const message of await deps.messages.goingOnWith(row.id)) {
    if (message.status !== 'streaming')
      deps.readers.publish(message.conversationId, { type: 'message-updated', message });
  }
  deps.changes.emit('account');
}

/** Returns null if the cost isn't known yet. It's asked for again at the next start. */
async function patchFor(deps: CostLookupDeps, row: MessageRow): Promise<AnswerPatch | null> {
  const { connections, closing: signal } = deps;
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
 * Estimates the cost for a gateway without records, from estimated tokens and list prices. Otherwise the cost stays
 * unknown, which is not zero.
 */
async function withoutRecord({ messages, modelFacts }: CostLookupDeps, row: MessageRow): Promise<AnswerPatch> {
  if (row.cost_usd !== null) return {};
  // Other gateways may report the model by its full id, or as a version of the requested model.
  const names = [`${row.served_provider}/${row.served_model}`, row.served_model ?? '', row.model ?? ''];
  const pricing = names.map(modelFacts).find((facts) => facts !== null)?.record.pricing;
  if (row.usage !== null || !pricing || row.text === '' || row.status === 'error') return {};
  const branch = await messages.branch(row.conversation_id, row.parent_id);
  return estimatedCost(parsePricing(pricing), branch, `${row.reasoning}${row.text}`);
}

/** Converts the record of a request to the cost of its answer. `source` is the account that pays. */
export function toPatch(
  record: ReportedRequest,
  source: string,
): Pick<Message, 'costUsd' | 'costSource' | 'bill'> & Partial<Pick<Message, 'usage'>> {
  const usage = usageOfRecord(record);
  return { ...costOfRecord(record, source), bill: billOfRecord(record, source), ...(usage ? { usage } : {}) };
}

interface Asking<Row> {
  /** Returns the requests whose cost isn't known. */
  readonly open: () => Promise<readonly Row[]>;
  readonly lookUp: (row: Row) => Promise<void>;
  readonly log: Log;
}

/**
 * Looks up the cost of each open request, and never one of them twice at the same time. Resolves when all lookups have
 * ended. Never throws.
 */
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

interface SpendLookupDeps extends CoreContext {
  readonly spend: Pick<SpendStore, 'openRequests' | 'giveUp' | 'add'>;
  readonly connections: Connections;
}

type SpendRow = Awaited<ReturnType<SpendStore['openRequests']>>[number];

/**
 * Looks up the costs of summaries that a crash interrupted. The first call collects them, and later calls ask again for
 * those that are still unknown, because their gateway may be connected later. Never throws.
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
  { spend, connections, settings, changes, readers, closing: signal }: SpendLookupDeps,
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
  // The settled record has no cost, so asking again is pointless.
  if (known.costUsd === null) await spend.giveUp(row.id);
  readers.publish(row.conversation_id, { type: 'conversation-changed' });
  changes.emit('account');
  return true;
}

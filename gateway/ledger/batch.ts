import { nanoUsd } from '#shared/money.ts';
import { newId } from '../db/id.ts';
import { priceText } from '../prices/price-json.ts';
import { type BatchRows, createBatchRows, type Open } from './batch-rows.ts';
import type { AccountState, BatchStatements, KeyState, OpenRow } from './batch-statements.ts';
import { creditShortage } from './credit-shortage.ts';
import { shortageOf } from './key-limit.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { monthOf, monthRefusal, quotaRefusal } from './quota.ts';
import { dayOf } from './usage-counters.ts';

/** One step of one request. */
export type Step =
  | { readonly do: 'hold'; readonly request: HoldRequest }
  | { readonly do: 'extend'; readonly requestId: string; readonly to: bigint }
  | { readonly do: 'renew'; readonly requestId: string }
  | { readonly do: 'settle'; readonly settlement: Settlement };

/** What came of a step; one that failed has written nothing. */
export type Told = { readonly value: unknown } | { readonly error: unknown };

export interface BatchContext {
  readonly statements: BatchStatements;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly leaseUntil: number;
  readonly instanceId: string;
  /** What this process knows to be open. */
  readonly open: ReadonlyMap<string, Open>;
}

export interface Batch {
  readonly told: readonly Told[];
  /** Requests that it opened or changed, and null for those it ended: for `open`, once it is committed. */
  readonly changed: ReadonlyMap<string, Open | null>;
}

interface Running extends BatchContext {
  readonly rows: BatchRows;
  readonly changed: Map<string, Open | null>;
}

const done: Told = { value: undefined };
const yes: Told = { value: true };
const no: Told = { value: false };
const failed = (message: string): Told => ({ error: new Error(message) });

/**
 * Takes steps in their order, each with the guards of wire contract §2.7 and §7, and writes what they changed. Runs inside
 * the caller's write transaction without a pause. Throws where the database refuses a row: then nothing may be committed.
 */
export function runBatch(steps: readonly Step[], context: BatchContext): Batch {
  const rows = createBatchRows(context.statements);
  const running: Running = { ...context, rows, changed: new Map() };
  const told = steps.map((step) => take(step, running));
  rows.save();
  return { told, changed: running.changed };
}

function take(step: Step, running: Running): Told {
  switch (step.do) {
    case 'hold':
      return hold(step.request, running);
    case 'extend':
      return extend(step.requestId, step.to, running);
    case 'renew':
      running.statements.write('renewRequest', [running.leaseUntil, step.requestId]);
      return done;
    case 'settle':
      return settle(step.settlement, running);
  }
}

function hold(request: HoldRequest, { rows, statements, now, instanceId, leaseUntil, changed }: Running): Told {
  const { requestId, accountId, keyId, amount, provider, model } = request;
  if (amount < 0n) return failed(`a hold is never negative, got ${amount}`);
  const account = rows.account(accountId);
  if (!account) return failed(`account ${accountId} does not exist`);
  const keys = rows.lineage(keyId);
  const refusal = quotaRefusal(account, amount, now) ?? shortageOf(keys, amount) ?? creditShortage(account, amount);
  // An acknowledgement may have been lost: the same request held twice is held once.
  if (refusal) return statements.request(requestId) ? done : { error: refusal };
  const day = dayOf(now);
  const byok = request.byok ? 1n : 0n;
  const opened = statements.write('insertRequest', [
    ...[requestId, accountId, keyId, instanceId, now, day, provider, model, request.purpose, request.conversationId],
    ...[request.user, metadataText(request.metadata), byok, amount, leaseUntil],
  ]);
  if (opened === 0) return done;
  countRequest(account, day);
  reserve(account, keys, amount);
  changed.set(requestId, { accountId, keyId, day, byok, hold: amount });
  return done;
}

/** The day only moves on: the clocks of instances differ, and one that is late must not begin it again. */
function countRequest(account: AccountState, day: string): void {
  if (account.day > day) return;
  account.day_requests = account.day === day ? account.day_requests + 1n : 1n;
  account.day = day;
}

function reserve(account: AccountState, keys: readonly KeyState[], amount: bigint): void {
  account.held += amount;
  for (const key of keys) key.held += amount;
}

/** What an earlier try may have reserved already is not reserved again. */
function extend(requestId: string, to: bigint, running: Running): Told {
  const { rows, statements, now, changed } = running;
  const open = stillOpen(requestId, running);
  const account = open && rows.account(open.accountId);
  if (!open || !account) return no;
  const by = to - open.hold;
  if (by <= 0n) return yes;
  const keys = rows.lineage(open.keyId);
  if (shortageOf(keys, by) ?? monthRefusal(account, by, now) ?? creditShortage(account, by)) return no;
  if (statements.write('extendRequest', [by, requestId]) === 0) return no;
  reserve(account, keys, by);
  changed.set(requestId, { ...open, hold: to });
  return yes;
}

function settle(end: Settlement, running: Running): Told {
  if (end.charge < 0n) return failed(`a charge is never negative, got ${end.charge}`);
  const { rows, changed } = running;
  const known = knownOpen(end.requestId, running);
  const open = known && close(end, known, running) ? known : closeFresh(end, running);
  if (!('accountId' in open)) return open;
  changed.set(end.requestId, null);
  const account = rows.account(open.accountId);
  if (!account) throw new Error(`account ${open.accountId} does not exist`);
  const keys = rows.lineage(open.keyId);
  reserve(account, keys, -open.hold);
  for (const key of keys) key.spent += end.charge;
  charge(account, end.charge, monthOf(open.day));
  if (end.charge > 0n) book(end, open.byok === 1n ? 'byok_fee' : 'usage', account, running);
  rows.count(open, end);
  return { value: { charged: end.charge } };
}

/** A charge belongs to the month its request began in; the month only moves on. */
function charge(account: AccountState, amount: bigint, month: string): void {
  account.balance -= amount;
  account.used += amount;
  if (account.month > month) return;
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
}

const knownOpen = (requestId: string, { changed, open }: Running) =>
  changed.has(requestId) ? changed.get(requestId) : open.get(requestId);

/** A request that this process did not open, or that another has touched since (a sweeper), is looked up. */
function stillOpen(requestId: string, { statements }: Running): Open | null {
  const row = statements.request(requestId);
  return row?.status === 'running' ? openOf(row) : null;
}

function closeFresh(end: Settlement, running: Running): Open | Told {
  const row = running.statements.request(end.requestId);
  if (!row) return failed(`request ${end.requestId} was never held`);
  if (row.status !== 'running') return { value: { charged: nanoUsd(row.charge) } };
  const open = openOf(row);
  if (!close(end, open, running)) throw new Error(`request ${end.requestId} changed while it was ended`);
  return open;
}

const openOf = (row: OpenRow): Open => ({
  accountId: row.account_id,
  keyId: row.key_id,
  day: row.day,
  byok: row.byok,
  hold: row.hold,
});

/** False where the row is not as it was known to be. */
function close(end: Settlement, open: Open, { statements, now }: Running): boolean {
  const { usage } = end;
  const values = [
    ...[end.status, end.errorCode, now, end.charge, end.upstreamCost, end.estimated ? 1n : 0n, end.provider, end.model],
    ...[usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.cacheWriteTokens, usage.reasoningTokens],
    ...[usage.audioTokens ?? 0, usage.cacheWriteHourTokens ?? 0, end.byokFeeBps ?? 0],
    ...[end.firstTokenMs === null ? null : Math.round(end.firstTokenMs), Math.round(end.totalMs)],
    ...[end.price && priceText(end.price), end.routing && JSON.stringify(end.routing), end.requestId, open.hold],
  ];
  return statements.write('closeRequest', values) === 1;
}

function book(
  end: Settlement,
  type: 'usage' | 'byok_fee',
  { id, balance }: AccountState,
  { statements, now }: Running,
): void {
  const { provider, model } = end;
  statements.write('insertEntry', [
    ...[newId('txn', now), id, type, -end.charge, balance, now, `${provider}/${model}`, end.requestId, provider, model],
    end.estimated ? 1n : 0n,
  ]);
}

const noMetadata = '{}';
const metadataText = (metadata: HoldRequest['metadata']) => {
  for (const _ in metadata) return JSON.stringify(metadata);
  return noMetadata;
};

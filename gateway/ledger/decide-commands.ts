import { nanoUsd } from '#shared/money.ts';
import type { PlanOf } from '../access/auth/plans.ts';
import type { Plan } from '../access/auth/principal.ts';
import { newId } from '../storage/id.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { type ChargeEntry, LedgerBatch, type LedgerChanges, type OpenedRequest, type Raised } from './ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from './ledger-snapshot.ts';
import {
  beginModelMonth,
  chargeModel,
  getModelLimits,
  holdForModel,
  type ModelName,
  modelId,
  modelRefusal,
} from './model-limits.ts';
import { getDay } from './period.ts';
import {
  creditMargin,
  creditShortage,
  formatMonth,
  getShortage,
  keyMargin,
  monthMargin,
  monthRefusal,
  quotaRefusal,
} from './quota.ts';
import type { ReadSet } from './read-set.ts';
import { dayLimitMargin, limitRefusal, monthLimitMargin } from './spending-limits.ts';

/** Who wants to reserve something, and for which model. */
interface Spender {
  readonly account: AccountState;
  readonly plan: Plan;
  readonly keyId: string | null;
  /** With those that minted it. */
  readonly keys: readonly KeyState[];
  readonly model: ModelName;
}

/** The most that could be reserved now: what the balance and every limit leave; null where nothing limits it. */
function spendableNow({ account, plan, keyId, keys, model }: Spender, now: number): bigint | null {
  const limits = account.model_limits === null ? [] : getModelLimits(account, keyId, now);
  const limit = limits.find((entry) => entry.model === modelId(model));
  const margins = [
    creditMargin(account, plan, 1n),
    monthMargin(account, plan, 1n, now),
    monthLimitMargin(account, keyId, 1n, now),
    dayLimitMargin(account, keyId, 1n, now),
    ...keys.map((key) => keyMargin(key, 1n)),
    limit ? limit.limit - limit.used - limit.held - 1n : null,
  ];
  let least: bigint | null = null;
  for (const margin of margins) if (margin !== null && (least === null || margin < least)) least = margin;
  return least === null ? null : least + 1n;
}

/** The part that the second request takes, where the first took next to nothing. */
const shareOfMany = 8n;

/**
 * How much a request holds of what its longest answer may cost (`max`), at least what its shortest does (`min`). A request that
 * runs alone gets all of it, where another one could still begin beside it; else half of what is left. Beside others it gets
 * an eighth of what is left, and less the more is held already: so a hundred requests at once find room where a hundred of
 * their shortest answers do, and one long answer doesn't use up what they would share. Where nobody else could begin anyway, it
 * gets all that is left.
 */
function shareToHold(min: bigint, max: bigint, spender: Spender, now: number): bigint {
  if (max <= min) return min;
  const spendable = spendableNow(spender, now);
  if (spendable === null) return max;
  if (spendable <= min) return min;
  const { held } = spender.account;
  if (held === 0n && spendable - max >= min) return max;
  const fair = held === 0n ? spendable / 2n : (spendable * spendable) / ((spendable + held) * shareOfMany);
  const share = fair > min ? fair : min;
  const amount = spendable - share < min ? spendable : share;
  return amount < max ? amount : max;
}

/** One step of one request. */
export type LedgerCommand =
  | { readonly do: 'hold'; readonly request: HoldRequest }
  | {
      readonly do: 'extend';
      readonly requestId: string;
      readonly to: bigint;
      readonly model?: ModelName | undefined;
    }
  | { readonly do: 'renew'; readonly requestId: string }
  | { readonly do: 'settle'; readonly settlement: Settlement }
  /** Ends it only where its lease is still this one: its process has given no sign of life since. */
  | { readonly do: 'interrupt'; readonly settlement: Settlement; readonly leaseUntil: bigint };

/** What came of a step; one that failed has changed nothing. */
export type CommandResult = { readonly value: unknown } | { readonly error: unknown };

export interface DecisionContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly leaseUntil: number;
  readonly instanceId: string;
  readonly getPlan: PlanOf;
  /** Notes what decisions relied on, for books that others write to at the same time. */
  readonly readSet?: ReadSet;
}

export interface Decided {
  /** One for each step, in their order. */
  readonly results: readonly CommandResult[];
  readonly changes: LedgerChanges;
}

const done: CommandResult = { value: undefined };
const yes: CommandResult = { value: true };
const no: CommandResult = { value: false };
const failed = (message: string): CommandResult => ({ error: new Error(message) });

/**
 * The rules of the ledger (wire contract §2.7, §7): takes steps in their order, each with its guards, and says what they come to
 * and what they change. Pure: databases only read before it and write after it.
 */
export function decideCommands(
  commands: readonly LedgerCommand[],
  view: LedgerSnapshot,
  context: DecisionContext,
): Decided {
  const draft = new LedgerBatch(view);
  const results = commands.map((command) => decide(command, draft, context));
  return { results, changes: draft };
}

function decide(command: LedgerCommand, draft: LedgerBatch, context: DecisionContext): CommandResult {
  switch (command.do) {
    case 'hold':
      return hold(command.request, draft, context);
    case 'extend':
      return extend(command, draft, context);
    case 'renew':
      applyEvent({ do: 'renew', id: command.requestId, lease_until: BigInt(context.leaseUntil) }, draft);
      return done;
    case 'settle':
      return settle(command.settlement, draft, context.now);
    case 'interrupt':
      return interrupt(command.settlement, command.leaseUntil, draft, context.now);
  }
}

function hold(request: HoldRequest, draft: LedgerBatch, context: DecisionContext): CommandResult {
  const { now, instanceId, leaseUntil, readSet, getPlan } = context;
  if (request.amount < 0n) return failed(`a hold is never negative, got ${request.amount}`);
  // An acknowledgement may have been lost: the same request held twice is held once.
  const known = draft.request(request.requestId);
  if (known) return { value: known.hold };
  const account = draft.account(request.accountId);
  if (!account) return failed(`account ${request.accountId} does not exist`);
  const keys = draft.lineage(request.keyId);
  if (request.keyId !== null && keys.length === 0) return failed(`key ${request.keyId} does not exist`);
  const plan = getPlan(account.plan);
  const { keyId, preferred = request.amount } = request;
  const toRefusal = (amount: bigint) =>
    quotaRefusal(account, plan, amount, now) ??
    limitRefusal(account, keyId, request, amount, now) ??
    getShortage(keys, amount) ??
    creditShortage(account, plan, amount);
  const amount = shareToHold(request.amount, preferred, { account, plan, keyId, keys, model: request }, now);
  // That less was held than might have been is no reason to decide anew.
  readSet?.note({ account, plan, keyId, keys, amount, now, opens: true });
  const refusal = toRefusal(amount);
  if (refusal) return { error: refusal };
  const row = {
    id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    instance_id: instanceId,
    created: BigInt(now),
    day: getDay(now),
    provider: request.provider,
    model: request.model,
    purpose: request.purpose,
    conversation_id: request.conversationId,
    end_user: request.user,
    metadata: metadataText(request.metadata),
    byok: request.byok ? 1n : 0n,
    hold: amount,
    lease_until: BigInt(leaseUntil),
  };
  applyEvent({ do: 'open', row }, draft);
  return { value: amount };
}

/** What an earlier try may have reserved already is not reserved again. */
function extend(
  { requestId, to, model }: Extract<LedgerCommand, { do: 'extend' }>,
  draft: LedgerBatch,
  { now, readSet, getPlan }: DecisionContext,
): CommandResult {
  const request = draft.request(requestId);
  const account = request?.status === 'running' ? draft.account(request.account_id) : undefined;
  if (!request || !account) return no;
  const moved = account.model_limits !== null && model && modelId(model) !== modelId(request) ? model : null;
  const by = to > request.hold ? to - request.hold : 0n;
  if (by === 0n && !moved) return yes;
  const keys = draft.lineage(request.key_id);
  const plan = getPlan(account.plan);
  readSet?.note({ account, plan, keyId: request.key_id, keys, amount: by, now, opens: false });
  const refusal =
    getShortage(keys, by) ??
    monthRefusal(account, plan, by, now) ??
    limitRefusal(account, request.key_id, request, by, now) ??
    (moved && modelRefusal(account, request.key_id, moved, request.hold + by, now)) ??
    creditShortage(account, plan, by);
  if (refusal) return no;
  applyEvent({ do: 'raise', id: requestId, by, ...moved }, draft);
  return yes;
}

/** Ends a running request, books its charge and frees its hold. Already ended: answers what was booked. */
function settle(end: Settlement, draft: LedgerBatch, now: number): CommandResult {
  if (end.charge < 0n) return failed(`a charge is never negative, got ${end.charge}`);
  const request = draft.request(end.requestId);
  if (!request) return failed(`request ${end.requestId} was never held`);
  if (request.status !== 'running') return { value: { charged: nanoUsd(request.charge) } };
  const entryId = end.charge > 0n ? newId('txn', now) : null;
  applyEvent({ do: 'close', settlement: end, ended: BigInt(now), entryId }, draft);
  return { value: { charged: end.charge } };
}

function interrupt(end: Settlement, leaseUntil: bigint, draft: LedgerBatch, now: number): CommandResult {
  const request = draft.request(end.requestId);
  if (request?.status !== 'running' || request.lease_until !== leaseUntil) return no;
  const result = settle(end, draft, now);
  return 'error' in result ? result : yes;
}

const noMetadata = '{}';
const metadataText = (metadata: HoldRequest['metadata']) => {
  for (const _ in metadata) return JSON.stringify(metadata);
  return noMetadata;
};

/** A step that was decided: what it does to the books follows from it without asking any guard again. */
export type LedgerEvent =
  | { readonly do: 'open'; readonly row: OpenedRequest }
  | ({ readonly do: 'raise' } & Raised)
  | { readonly do: 'renew'; readonly id: string; readonly lease_until: bigint }
  | {
      readonly do: 'close';
      readonly settlement: Settlement;
      /** Milliseconds since the epoch. */
      readonly ended: bigint;
      /** Null where nothing is charged. */
      readonly entryId: string | null;
    };

/** Does a decided step to the books. Throws where they are not those that it was decided on. */
export function applyEvent(command: LedgerEvent, draft: LedgerBatch): void {
  switch (command.do) {
    case 'open': {
      const { row } = command;
      const account = getAccount(draft, row.account_id);
      draft.open(row);
      countRequest(account, row.day);
      reserve(account, draft.lineage(row.key_id), row, row.hold);
      return;
    }
    case 'raise':
      raise(command, draft);
      return;
    case 'renew':
      draft.renew(command.id, command.lease_until);
      return;
    case 'close':
      close(command, draft);
  }
}

/** The step that one decision has changed the books by; null where it has changed nothing. */
export function toCommand({ opened, raised, renewed, closed, entries }: LedgerChanges): LedgerEvent | null {
  const open = opened[0];
  const raise = raised[0];
  const renew = renewed[0];
  const close = closed[0];
  if (open) return { do: 'open', row: open };
  if (raise) return Object.assign({ do: 'raise' as const }, raise);
  if (renew) return { do: 'renew', id: renew.id, lease_until: renew.lease_until };
  if (!close) return null;
  return { do: 'close', settlement: close.settlement, ended: close.ended, entryId: entries[0]?.id ?? null };
}

function raise(raised: Raised, draft: LedgerBatch): void {
  const request = getRequest(draft, raised.id);
  const account = getAccount(draft, request.account_id);
  draft.raise(request, raised);
  reserve(account, draft.lineage(request.key_id), request, raised.by);
  const { provider, model } = raised;
  if (provider !== undefined && model !== undefined)
    moveHold(account, request, { provider, model }, request.hold + raised.by);
}

function close({ settlement, ended, entryId }: Extract<LedgerEvent, { do: 'close' }>, draft: LedgerBatch): void {
  const request = getRequest(draft, settlement.requestId);
  const account = getAccount(draft, request.account_id);
  const keys = draft.lineage(request.key_id);
  draft.close(request, settlement, ended);
  reserve(account, keys, request, -request.hold);
  for (const key of keys) key.spent += settlement.charge;
  charge(account, settlement, request.day);
  if (entryId !== null) draft.book(entryFor(entryId, settlement, request, account, ended));
}

const entryFor = (
  id: string,
  { requestId, provider, model, charge: amount, estimated }: Settlement,
  { byok }: RequestState,
  account: AccountState,
  created: bigint,
): ChargeEntry => ({
  id,
  account_id: account.id,
  type: byok === 1n ? 'byok_fee' : 'usage',
  amount: -amount,
  balance_after: account.balance,
  created,
  description: `${provider}/${model}`,
  request_id: requestId,
  provider,
  model,
  estimated: estimated ? 1n : 0n,
});

function getAccount(draft: LedgerBatch, id: string): AccountState {
  const account = draft.account(id);
  if (!account) throw new Error(`account ${id} does not exist`);
  return account;
}

function getRequest(draft: LedgerBatch, id: string): RequestState {
  const request = draft.request(id);
  if (request?.status !== 'running')
    throw new Error(`request ${id} ${request ? `has ${request.status}` : 'is unknown'}`);
  return request;
}

/** The day only moves on: the clocks of instances differ, and one that is late must not begin it again. */
function countRequest(account: AccountState, day: string): void {
  if (account.day > day) return;
  if (account.day !== day) {
    account.day = day;
    account.day_requests = 0n;
    account.day_used = 0n;
  }
  account.day_requests += 1n;
}

function reserve(account: AccountState, keys: readonly KeyState[], model: ModelName, amount: bigint): void {
  account.held += amount;
  for (const key of keys) key.held += amount;
  if (account.model_limits !== null) holdForModel(account, model, amount);
}

/** What a request holds is held for another model. */
function moveHold(account: AccountState, from: ModelName, to: ModelName, amount: bigint): void {
  holdForModel(account, from, -amount);
  holdForModel(account, to, amount);
}

/** A charge belongs to the day and the month its request began in; both only move on, the day when a request begins. */
function charge(account: AccountState, settlement: ModelName & { readonly charge: bigint }, day: string): void {
  const { charge: amount } = settlement;
  account.balance -= amount;
  account.used += amount;
  if (account.day === day) account.day_used += amount;
  const month = formatMonth(day);
  if (account.month > month) return;
  if (account.model_limits !== null) {
    if (account.month !== month) beginModelMonth(account);
    chargeModel(account, settlement, amount);
  }
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
}

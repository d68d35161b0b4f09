import { nanoUsd } from '#shared/money.ts';
import type { PlanOf } from '../access/auth/plans.ts';
import { newId } from '../storage/id.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { type ChargeEntry, LedgerBatch, type LedgerChanges, type OpenedRequest, type Raised } from './ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from './ledger-snapshot.ts';
import { formatMonth, getDay } from './period.ts';
import { dayMargin, dayRefusal } from './quota.ts';
import type { ReadSet } from './read-set.ts';
import {
  beginModelMonth,
  countForModel,
  getSpendable,
  getSpendingLimits,
  isExceeded,
  type ModelName,
  modelId,
  toLimitError,
} from './spending-limits.ts';

/** Beside other requests that hold almost nothing, a request gets one eighth of what is left. */
const shareOfMany = 8n;

/**
 * Decides how much a request holds, between the cost of its shortest answer (`min`) and of its longest (`max`).
 *
 * A request that runs alone gets `max` if another request could still begin beside it, otherwise half of what is left. Beside
 * other requests it gets an eighth of what is left, and less the more is held already: a hundred requests can start at once if a
 * hundred of their shortest answers are affordable, and one long answer doesn't use up their share. When no other request could
 * begin anyway, it gets all that is left.
 */
function shareToHold(min: bigint, max: bigint, spendable: bigint | null, held: bigint): bigint {
  if (max <= min) return min;
  if (spendable === null) return max;
  if (spendable <= min) return min;
  if (held === 0n && spendable - max >= min) return max;
  const fair = held === 0n ? spendable / 2n : (spendable * spendable) / ((spendable + held) * shareOfMany);
  const share = fair > min ? fair : min;
  const amount = spendable - share < min ? spendable : share;
  return amount < max ? amount : max;
}

/** One thing that is asked of the ledger for one request. */
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
  /** Ends the request only if its lease is unchanged, which means that its process hasn't renewed it. */
  | { readonly do: 'interrupt'; readonly settlement: Settlement; readonly leaseUntil: bigint };

/** The result of a command, with what it changes. A command with an error changes nothing. */
export type CommandResult = { readonly value: unknown; readonly event?: LedgerEvent } | { readonly error: unknown };

export interface DecisionContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly leaseUntil: number;
  readonly instanceId: string;
  readonly getPlan: PlanOf;
  /** Records what the decisions depended on. Needed on PostgreSQL, where other instances write at the same time. */
  readonly readSet?: ReadSet;
}

export interface Decided {
  /** One result per command, in the same order. */
  readonly results: readonly CommandResult[];
  readonly changes: LedgerChanges;
}

const done: CommandResult = { value: undefined };
const yes: CommandResult = { value: true };
const no: CommandResult = { value: false };
const failed = (message: string): CommandResult => ({ error: new Error(message) });

/**
 * The rules of the ledger (wire contract §2.7, §7). Checks the commands in order and returns their results and the changes to
 * write. Pure: the caller reads the database before and writes it afterwards.
 */
export function decideCommands(
  commands: readonly LedgerCommand[],
  snapshot: LedgerSnapshot,
  context: DecisionContext,
): Decided {
  const batch = new LedgerBatch(snapshot);
  const results = commands.map((command) => {
    const result = decide(command, batch, context);
    if ('event' in result) applyEvent(result.event, batch);
    return result;
  });
  return { results, changes: batch };
}

/** Decides one command without changing anything. */
function decide(command: LedgerCommand, snapshot: LedgerBatch, context: DecisionContext): CommandResult {
  switch (command.do) {
    case 'hold':
      return hold(command.request, snapshot, context);
    case 'extend':
      return extend(command, snapshot, context);
    case 'renew': {
      const { requestId: id } = command;
      if (snapshot.request(id)?.status !== 'running') return done;
      return { value: undefined, event: { do: 'renew', id, lease_until: BigInt(context.leaseUntil) } };
    }
    case 'settle':
      return settle(command.settlement, snapshot, context.now);
    case 'interrupt':
      return interrupt(command.settlement, command.leaseUntil, snapshot, context.now);
  }
}

function hold(request: HoldRequest, snapshot: LedgerBatch, context: DecisionContext): CommandResult {
  const { now, instanceId, leaseUntil, readSet, getPlan } = context;
  if (request.amount < 0n) return failed(`a hold is never negative, got ${request.amount}`);
  // The caller may not have received the acknowledgement and repeat the hold. It then gets the hold that exists.
  const known = snapshot.request(request.requestId);
  if (known) return { value: known.hold };
  const account = snapshot.account(request.accountId);
  if (!account) return failed(`account ${request.accountId} does not exist`);
  const keys = snapshot.lineage(request.keyId);
  if (request.keyId !== null && keys.length === 0) return failed(`key ${request.keyId} does not exist`);
  const plan = getPlan(account.plan);
  const { keyId, preferred = request.amount } = request;
  const limits = getSpendingLimits({ account, plan, keyId, keys, model: request }, now);
  const amount = shareToHold(request.amount, preferred, getSpendable(limits), account.held);
  // Only the granted amount goes into the read set. A balance that would now allow a larger hold is no reason to decide again.
  readSet?.noteLimits(account.id, limits, amount);
  readSet?.noteDay(account.id, dayMargin(account, plan, now));
  const refusal = dayRefusal(account, plan, now);
  if (refusal) return { error: refusal };
  const exceeded = limits.find((limit) => isExceeded(limit, amount));
  if (exceeded) return { error: toLimitError(exceeded, amount, now) };
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
  return { value: amount, event: { do: 'open', row } };
}

/** Raises a hold up to `to`. A repeated command adds nothing. */
function extend(
  { requestId, to, model }: Extract<LedgerCommand, { do: 'extend' }>,
  snapshot: LedgerBatch,
  { now, readSet, getPlan }: DecisionContext,
): CommandResult {
  const request = snapshot.request(requestId);
  const account = request?.status === 'running' ? snapshot.account(request.account_id) : undefined;
  if (!request || !account) return no;
  const moved = account.model_limits !== null && model && modelId(model) !== modelId(request) ? model : null;
  const by = to > request.hold ? to - request.hold : 0n;
  if (by === 0n && !moved) return yes;
  const keys = snapshot.lineage(request.key_id);
  const plan = getPlan(account.plan);
  const getLimits = (model: ModelName) => getSpendingLimits({ account, plan, keyId: request.key_id, keys, model }, now);
  const limits = getLimits(request);
  readSet?.noteLimits(account.id, limits, by);
  if (limits.some((limit) => isExceeded(limit, by))) return no;
  // The limit of the new model must cover the whole hold.
  const ofModel = moved && getLimits(moved).find(({ scope }) => scope === 'model');
  if (ofModel && isExceeded(ofModel, request.hold + by)) return no;
  // The caller's model has fields of its own, such as an id.
  const next = moved && { provider: moved.provider, model: moved.model };
  return { value: true, event: { do: 'raise', id: requestId, by, ...next } };
}

/**
 * Ends a running request, records its charge and releases its hold. For a request that has ended already, returns the recorded
 * charge.
 */
function settle(end: Settlement, snapshot: LedgerBatch, now: number): CommandResult {
  if (end.charge < 0n) return failed(`a charge is never negative, got ${end.charge}`);
  const request = snapshot.request(end.requestId);
  if (!request) return failed(`request ${end.requestId} was never held`);
  if (request.status !== 'running') return { value: { charged: nanoUsd(request.charge) } };
  const entryId = end.charge > 0n ? newId('txn', now) : null;
  return {
    value: { charged: end.charge },
    event: { do: 'close', settlement: end, ended: BigInt(now), entryId },
  };
}

function interrupt(end: Settlement, leaseUntil: bigint, snapshot: LedgerBatch, now: number): CommandResult {
  const request = snapshot.request(end.requestId);
  if (request?.status !== 'running' || request.lease_until !== leaseUntil) return no;
  const result = settle(end, snapshot, now);
  return 'error' in result ? result : { ...result, value: true };
}

const noMetadata = '{}';
const metadataText = (metadata: HoldRequest['metadata']) => {
  for (const _ in metadata) return JSON.stringify(metadata);
  return noMetadata;
};

/** What the ledger decided. Applying it needs no further check: all guards ran when it was decided. */
export type LedgerEvent =
  | { readonly do: 'open'; readonly row: OpenedRequest }
  | ({ readonly do: 'raise' } & Raised)
  | { readonly do: 'renew'; readonly id: string; readonly lease_until: bigint }
  | {
      readonly do: 'close';
      readonly settlement: Settlement;
      /** Milliseconds since the epoch. */
      readonly ended: bigint;
      /** Null when nothing is charged. */
      readonly entryId: string | null;
    };

/** Applies an event to the ledger. Throws when a row isn't in the state that the event was decided on. */
export function applyEvent(event: LedgerEvent, batch: LedgerBatch): void {
  switch (event.do) {
    case 'open': {
      const { row } = event;
      const account = getAccount(batch, row.account_id);
      batch.open(row);
      countRequest(account, row.day);
      reserve(account, batch.lineage(row.key_id), row, row.hold);
      return;
    }
    case 'raise':
      raise(event, batch);
      return;
    case 'renew':
      batch.renew(event.id, event.lease_until);
      return;
    case 'close':
      close(event, batch);
  }
}

function raise(raised: Raised, batch: LedgerBatch): void {
  const request = getRequest(batch, raised.id);
  const account = getAccount(batch, request.account_id);
  batch.raise(request, raised);
  reserve(account, batch.lineage(request.key_id), request, raised.by);
  const { provider, model } = raised;
  if (provider !== undefined && model !== undefined)
    moveHold(account, request, { provider, model }, request.hold + raised.by);
}

function close({ settlement, ended, entryId }: Extract<LedgerEvent, { do: 'close' }>, batch: LedgerBatch): void {
  const request = getRequest(batch, settlement.requestId);
  const account = getAccount(batch, request.account_id);
  const keys = batch.lineage(request.key_id);
  batch.close(request, settlement, ended);
  reserve(account, keys, request, -request.hold);
  for (const key of keys) key.spent += settlement.charge;
  charge(account, settlement, request.day);
  if (entryId !== null) batch.addEntry(entryFor(entryId, settlement, request, account, ended));
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

function getAccount(batch: LedgerBatch, id: string): AccountState {
  const account = batch.account(id);
  if (!account) throw new Error(`account ${id} does not exist`);
  return account;
}

function getRequest(batch: LedgerBatch, id: string): RequestState {
  const request = batch.request(id);
  if (request?.status !== 'running')
    throw new Error(`request ${id} ${request ? `has ${request.status}` : 'is unknown'}`);
  return request;
}

/**
 * The day only moves forward: clocks of instances differ, and an instance whose clock is behind must not start an old day again.
 */
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
  if (account.model_limits !== null) countForModel(account, model, { held: amount });
}

/** Moves the hold of a request from one model's limit to another's. */
function moveHold(account: AccountState, from: ModelName, to: ModelName, amount: bigint): void {
  countForModel(account, from, { held: -amount });
  countForModel(account, to, { held: amount });
}

/**
 * A charge counts for the day and the month in which its request began. Neither ever moves back; the day moves only when a
 * request begins.
 */
function charge(account: AccountState, settlement: ModelName & { readonly charge: bigint }, day: string): void {
  const { charge: amount } = settlement;
  account.balance -= amount;
  account.used += amount;
  if (account.day === day) account.day_used += amount;
  const month = formatMonth(day);
  if (account.month > month) return;
  if (account.model_limits !== null) {
    if (account.month !== month) beginModelMonth(account);
    countForModel(account, settlement, { used: amount });
  }
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
}

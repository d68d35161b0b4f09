import { nanoUsd } from '#shared/money.ts';
import type { PlanOf } from '../access/auth/plans.ts';
import { newId } from '../storage/id.ts';
import { charge, countRequest, moveHold, reserve } from './count-spending.ts';
import { shareToHold } from './hold-share.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { type ChargeEntry, LedgerBatch, type LedgerChanges, type OpenedRequest, type Raised } from './ledger-batch.ts';
import type { AccountState, LedgerSnapshot, RequestState } from './ledger-snapshot.ts';
import { type ModelName, modelId, modelRefusal } from './model-limits.ts';
import { getDay } from './period.ts';
import { creditShortage, getShortage, monthRefusal, quotaRefusal } from './quota.ts';
import type { ReadSet } from './read-set.ts';
import { limitRefusal } from './spending-limits.ts';

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

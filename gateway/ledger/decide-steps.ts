import { nanoUsd } from '#shared/money.ts';
import type { PlanOf } from '../access/auth/plans.ts';
import { newId } from '../storage/id.ts';
import { type BooksChanges, BooksDraft, type ChargeEntry, type OpenedRequest, type Raised } from './books-changes.ts';
import type { AccountState, BooksView, RequestState } from './books-state.ts';
import { charge, countRequest, moveHold, reserve } from './count-spending.ts';
import { shareToHold } from './hold-share.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { type ModelName, modelId, modelRefusal } from './model-limits.ts';
import { getDay } from './period.ts';
import { creditShortage, getShortage, monthRefusal, quotaRefusal } from './quota.ts';
import type { Reliance } from './reliance.ts';
import { limitRefusal } from './spending-limits.ts';

/** One step of one request. */
export type Step =
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
export type StepResult = { readonly value: unknown } | { readonly error: unknown };

export interface DecisionContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly leaseUntil: number;
  readonly instanceId: string;
  readonly getPlan: PlanOf;
  /** Notes what decisions relied on, for books that others write to at the same time. */
  readonly reliance?: Reliance;
}

export interface Decided {
  /** One for each step, in their order. */
  readonly results: readonly StepResult[];
  readonly changes: BooksChanges;
}

const done: StepResult = { value: undefined };
const yes: StepResult = { value: true };
const no: StepResult = { value: false };
const failed = (message: string): StepResult => ({ error: new Error(message) });

/**
 * The rules of the ledger (wire contract §2.7, §7): takes steps in their order, each with its guards, and says what they come to
 * and what they change. Pure: databases only read before it and write after it.
 */
export function decideSteps(steps: readonly Step[], view: BooksView, context: DecisionContext): Decided {
  const draft = new BooksDraft(view);
  const results = steps.map((step) => decide(step, draft, context));
  return { results, changes: draft };
}

function decide(step: Step, draft: BooksDraft, context: DecisionContext): StepResult {
  switch (step.do) {
    case 'hold':
      return hold(step.request, draft, context);
    case 'extend':
      return extend(step, draft, context);
    case 'renew':
      redoStep({ do: 'renew', id: step.requestId, lease_until: BigInt(context.leaseUntil) }, draft);
      return done;
    case 'settle':
      return settle(step.settlement, draft, context.now);
    case 'interrupt':
      return interrupt(step.settlement, step.leaseUntil, draft, context.now);
  }
}

function hold(request: HoldRequest, draft: BooksDraft, context: DecisionContext): StepResult {
  const { now, instanceId, leaseUntil, reliance, getPlan } = context;
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
  reliance?.note({ account, plan, keyId, keys, amount, now, opens: true });
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
  redoStep({ do: 'open', row }, draft);
  return { value: amount };
}

/** What an earlier try may have reserved already is not reserved again. */
function extend(
  { requestId, to, model }: Extract<Step, { do: 'extend' }>,
  draft: BooksDraft,
  { now, reliance, getPlan }: DecisionContext,
): StepResult {
  const request = draft.request(requestId);
  const account = request?.status === 'running' ? draft.account(request.account_id) : undefined;
  if (!request || !account) return no;
  const moved = account.model_limits !== null && model && modelId(model) !== modelId(request) ? model : null;
  const by = to > request.hold ? to - request.hold : 0n;
  if (by === 0n && !moved) return yes;
  const keys = draft.lineage(request.key_id);
  const plan = getPlan(account.plan);
  reliance?.note({ account, plan, keyId: request.key_id, keys, amount: by, now, opens: false });
  const refusal =
    getShortage(keys, by) ??
    monthRefusal(account, plan, by, now) ??
    limitRefusal(account, request.key_id, request, by, now) ??
    (moved && modelRefusal(account, request.key_id, moved, request.hold + by, now)) ??
    creditShortage(account, plan, by);
  if (refusal) return no;
  redoStep({ do: 'raise', id: requestId, by, ...moved }, draft);
  return yes;
}

/** Ends a running request, books its charge and frees its hold. Already ended: answers what was booked. */
function settle(end: Settlement, draft: BooksDraft, now: number): StepResult {
  if (end.charge < 0n) return failed(`a charge is never negative, got ${end.charge}`);
  const request = draft.request(end.requestId);
  if (!request) return failed(`request ${end.requestId} was never held`);
  if (request.status !== 'running') return { value: { charged: nanoUsd(request.charge) } };
  const entryId = end.charge > 0n ? newId('txn', now) : null;
  redoStep({ do: 'close', settlement: end, ended: BigInt(now), entryId }, draft);
  return { value: { charged: end.charge } };
}

function interrupt(end: Settlement, leaseUntil: bigint, draft: BooksDraft, now: number): StepResult {
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
export type DecidedStep =
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
export function redoStep(step: DecidedStep, draft: BooksDraft): void {
  switch (step.do) {
    case 'open': {
      const { row } = step;
      const account = getAccount(draft, row.account_id);
      draft.open(row);
      countRequest(account, row.day);
      reserve(account, draft.lineage(row.key_id), row, row.hold);
      return;
    }
    case 'raise':
      raise(step, draft);
      return;
    case 'renew':
      draft.renew(step.id, step.lease_until);
      return;
    case 'close':
      close(step, draft);
  }
}

/** The step that one decision has changed the books by; null where it has changed nothing. */
export function getStep({ opened, raised, renewed, closed, entries }: BooksChanges): DecidedStep | null {
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

function raise(raised: Raised, draft: BooksDraft): void {
  const request = getRequest(draft, raised.id);
  const account = getAccount(draft, request.account_id);
  draft.raise(request, raised);
  reserve(account, draft.lineage(request.key_id), request, raised.by);
  const { provider, model } = raised;
  if (provider !== undefined && model !== undefined)
    moveHold(account, request, { provider, model }, request.hold + raised.by);
}

function close({ settlement, ended, entryId }: Extract<DecidedStep, { do: 'close' }>, draft: BooksDraft): void {
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

function getAccount(draft: BooksDraft, id: string): AccountState {
  const account = draft.account(id);
  if (!account) throw new Error(`account ${id} does not exist`);
  return account;
}

function getRequest(draft: BooksDraft, id: string): RequestState {
  const request = draft.request(id);
  if (request?.status !== 'running')
    throw new Error(`request ${id} ${request ? `has ${request.status}` : 'is unknown'}`);
  return request;
}

import { nanoUsd } from '#shared/money.ts';
import { newId } from '../db/id.ts';
import { type BooksChanges, type BooksDraft, createBooksDraft } from './books-changes.ts';
import type { AccountState, BooksView, KeyState, RequestState } from './books-state.ts';
import { creditShortage } from './credit-shortage.ts';
import { shortageOf } from './key-limit.ts';
import type { HoldRequest, Settlement } from './ledger.ts';
import { monthOf, monthRefusal, quotaRefusal } from './quota.ts';
import type { Reliance } from './reliance.ts';
import { dayOf } from './usage-counters.ts';

/** One step of one request. */
export type Step =
  | { readonly do: 'hold'; readonly request: HoldRequest }
  | { readonly do: 'extend'; readonly requestId: string; readonly to: bigint }
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
  const draft = createBooksDraft(view);
  const results = steps.map((step) => decide(step, draft, context));
  return { results, changes: draft.changes() };
}

function decide(step: Step, draft: BooksDraft, context: DecisionContext): StepResult {
  switch (step.do) {
    case 'hold':
      return hold(step.request, draft, context);
    case 'extend':
      return extend(step.requestId, step.to, draft, context);
    case 'renew':
      draft.renew(step.requestId, BigInt(context.leaseUntil));
      return done;
    case 'settle':
      return settle(step.settlement, draft, context.now);
    case 'interrupt':
      return interrupt(step.settlement, step.leaseUntil, draft, context.now);
  }
}

function hold(request: HoldRequest, draft: BooksDraft, context: DecisionContext): StepResult {
  const { now, instanceId, leaseUntil, reliance } = context;
  if (request.amount < 0n) return failed(`a hold is never negative, got ${request.amount}`);
  // An acknowledgement may have been lost: the same request held twice is held once.
  const known = draft.request(request.requestId);
  if (known) return { value: known.hold };
  const account = draft.account(request.accountId);
  if (!account) return failed(`account ${request.accountId} does not exist`);
  const keys = draft.lineage(request.keyId);
  const refusalOf = (amount: bigint) =>
    quotaRefusal(account, amount, now) ?? shortageOf(keys, amount) ?? creditShortage(account, amount);
  const { preferred = 0n } = request;
  const amount = preferred > request.amount && refusalOf(preferred) === null ? preferred : request.amount;
  // That less was held than might have been is no reason to decide anew.
  reliance?.note(account, keys, amount, now, true);
  const refusal = refusalOf(amount);
  if (refusal) return { error: refusal };
  const day = dayOf(now);
  draft.open({
    id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    instance_id: instanceId,
    created: BigInt(now),
    day,
    provider: request.provider,
    model: request.model,
    purpose: request.purpose,
    conversation_id: request.conversationId,
    end_user: request.user,
    metadata: metadataText(request.metadata),
    byok: request.byok ? 1n : 0n,
    hold: amount,
    lease_until: BigInt(leaseUntil),
  });
  countRequest(account, day);
  reserve(account, keys, amount);
  return { value: amount };
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
function extend(requestId: string, to: bigint, draft: BooksDraft, { now, reliance }: DecisionContext): StepResult {
  const request = draft.request(requestId);
  const account = request?.status === 'running' ? draft.account(request.account_id) : undefined;
  if (!request || !account) return no;
  const by = to - request.hold;
  if (by <= 0n) return yes;
  const keys = draft.lineage(request.key_id);
  reliance?.note(account, keys, by, now, false);
  if (shortageOf(keys, by) ?? monthRefusal(account, by, now) ?? creditShortage(account, by)) return no;
  draft.raise(request, by);
  reserve(account, keys, by);
  return yes;
}

/** Ends a running request, books its charge and frees its hold. Already ended: answers what was booked. */
function settle(end: Settlement, draft: BooksDraft, now: number): StepResult {
  if (end.charge < 0n) return failed(`a charge is never negative, got ${end.charge}`);
  const request = draft.request(end.requestId);
  if (!request) return failed(`request ${end.requestId} was never held`);
  if (request.status !== 'running') return { value: { charged: nanoUsd(request.charge) } };
  const account = draft.account(request.account_id);
  if (!account) return failed(`account ${request.account_id} does not exist`);
  const keys = draft.lineage(request.key_id);
  draft.close(request, end, BigInt(now));
  reserve(account, keys, -request.hold);
  for (const key of keys) key.spent += end.charge;
  charge(account, end.charge, monthOf(request.day));
  if (end.charge > 0n) draft.book(entryFor(end, request, account, now));
  return { value: { charged: end.charge } };
}

function interrupt(end: Settlement, leaseUntil: bigint, draft: BooksDraft, now: number): StepResult {
  const request = draft.request(end.requestId);
  if (request?.status !== 'running' || request.lease_until !== leaseUntil) return no;
  const result = settle(end, draft, now);
  return 'error' in result ? result : yes;
}

/** A charge belongs to the month its request began in; the month only moves on. */
function charge(account: AccountState, amount: bigint, month: string): void {
  account.balance -= amount;
  account.used += amount;
  if (account.month > month) return;
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
}

const entryFor = (
  { requestId, provider, model, charge: amount, estimated }: Settlement,
  { byok }: RequestState,
  { id, balance }: AccountState,
  now: number,
) => ({
  id: newId('txn', now),
  account_id: id,
  type: byok === 1n ? ('byok_fee' as const) : ('usage' as const),
  amount: -amount,
  balance_after: balance,
  created: BigInt(now),
  description: `${provider}/${model}`,
  request_id: requestId,
  provider,
  model,
  estimated: estimated ? 1n : 0n,
});

const noMetadata = '{}';
const metadataText = (metadata: HoldRequest['metadata']) => {
  for (const _ in metadata) return JSON.stringify(metadata);
  return noMetadata;
};

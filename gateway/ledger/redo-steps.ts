import type { BooksChanges, BooksDraft, ChargeEntry, OpenedRequest } from './books-changes.ts';
import type { AccountState, KeyState, RequestState } from './books-state.ts';
import type { Settlement } from './ledger.ts';
import { monthOf } from './quota.ts';

/** A step that was decided: what it does to the books follows from it without asking any guard again. */
export type DecidedStep =
  | { readonly do: 'open'; readonly row: OpenedRequest }
  | { readonly do: 'raise'; readonly id: string; readonly by: bigint }
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
      const account = accountOf(draft, row.account_id);
      draft.open(row);
      countRequest(account, row.day);
      reserve(account, draft.lineage(row.key_id), row.hold);
      return;
    }
    case 'raise': {
      const request = requestOf(draft, step.id);
      draft.raise(request, step.by);
      reserve(accountOf(draft, request.account_id), draft.lineage(request.key_id), step.by);
      return;
    }
    case 'renew':
      draft.renew(step.id, step.lease_until);
      return;
    case 'close':
      close(step, draft);
  }
}

/** The step that one decision has changed the books by; null where it has changed nothing. */
export function stepOf({ opened, raised, renewed, closed, entries }: BooksChanges): DecidedStep | null {
  const open = opened[0];
  const raise = raised[0];
  const renew = renewed[0];
  const close = closed[0];
  if (open) return { do: 'open', row: open };
  if (raise) return { do: 'raise', id: raise.id, by: raise.by };
  if (renew) return { do: 'renew', id: renew.id, lease_until: renew.lease_until };
  if (!close) return null;
  return { do: 'close', settlement: close.settlement, ended: close.ended, entryId: entries[0]?.id ?? null };
}

function close({ settlement, ended, entryId }: Extract<DecidedStep, { do: 'close' }>, draft: BooksDraft): void {
  const request = requestOf(draft, settlement.requestId);
  const account = accountOf(draft, request.account_id);
  const keys = draft.lineage(request.key_id);
  draft.close(request, settlement, ended);
  reserve(account, keys, -request.hold);
  for (const key of keys) key.spent += settlement.charge;
  charge(account, settlement.charge, monthOf(request.day));
  if (entryId !== null) draft.book(entryFor(entryId, settlement, request, account, ended));
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

/** A charge belongs to the month its request began in; the month only moves on. */
function charge(account: AccountState, amount: bigint, month: string): void {
  account.balance -= amount;
  account.used += amount;
  if (account.month > month) return;
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
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

function accountOf(draft: BooksDraft, id: string): AccountState {
  const account = draft.account(id);
  if (!account) throw new Error(`account ${id} does not exist`);
  return account;
}

function requestOf(draft: BooksDraft, id: string): RequestState {
  const request = draft.request(id);
  if (request?.status !== 'running')
    throw new Error(`request ${id} ${request ? `has ${request.status}` : 'is unknown'}`);
  return request;
}

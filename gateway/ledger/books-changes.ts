import type { LedgerEntryRow, RequestRow, UsageDailyRow } from '../db/schema.ts';
import type { AccountState, BooksView, KeyState, RequestState } from './books-state.ts';
import type { Settlement } from './ledger.ts';

/** A new request, as it is written. */
export type OpenedRequest = Pick<
  RequestRow,
  | 'id'
  | 'account_id'
  | 'key_id'
  | 'instance_id'
  | 'created'
  | 'day'
  | 'provider'
  | 'model'
  | 'purpose'
  | 'conversation_id'
  | 'end_user'
  | 'metadata'
  | 'byok'
  | 'hold'
  | 'lease_until'
>;

export interface ClosedRequest {
  /** What it held: it is closed only where the stored row runs and holds the same. */
  readonly hold: bigint;
  /** Milliseconds since the epoch. */
  readonly ended: bigint;
  readonly settlement: Settlement;
}

export type ChargeEntry = Omit<LedgerEntryRow, 'seq' | 'idempotency_id'>;

/**
 * What a batch of steps changes, in the order in which it is written: a request may be opened, raised and closed in one batch.
 * Rows of accounts and keys are as they are afterwards.
 */
export interface BooksChanges {
  readonly opened: readonly OpenedRequest[];
  readonly raised: readonly { readonly id: string; readonly by: bigint }[];
  readonly renewed: readonly { readonly id: string; readonly lease_until: bigint }[];
  readonly closed: readonly ClosedRequest[];
  readonly entries: readonly ChargeEntry[];
  /** What ended requests add to the rows of `usage_daily`. */
  readonly usage: readonly UsageDailyRow[];
  readonly accounts: readonly AccountState[];
  readonly keys: readonly KeyState[];
  /** The requests that were opened, raised, renewed or closed, as they are afterwards. */
  readonly requests: ReadonlyMap<string, RequestState>;
}

/** The books while a batch is decided: what it has read is copied, so that a batch that fails has changed nothing. */
export interface BooksDraft extends BooksView {
  /** A key and those that minted it, oldest first: the order in which their limits are told. */
  lineage(keyId: string | null): readonly KeyState[];
  open(row: OpenedRequest): void;
  raise(request: RequestState, by: bigint): void;
  renew(id: string, leaseUntil: bigint): void;
  close(request: RequestState, settlement: Settlement, ended: bigint): void;
  book(entry: ChargeEntry): void;
  changes(): BooksChanges;
}

export function createBooksDraft(view: BooksView): BooksDraft {
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const lines = new Map<string, readonly KeyState[]>();
  const requests = new Map<string, RequestState>();
  const usage = new Map<string, UsageDailyRow>();
  const opened: OpenedRequest[] = [];
  const raised: { id: string; by: bigint }[] = [];
  const renewed: { id: string; lease_until: bigint }[] = [];
  const closed: ClosedRequest[] = [];
  const entries: ChargeEntry[] = [];

  const account = (id: string) => accounts.get(id) ?? copied(accounts, id, view.account(id));
  const key = (id: string) => keys.get(id) ?? copied(keys, id, view.key(id));
  const request = (id: string) => requests.get(id) ?? view.request(id);

  function lineFrom(keyId: string): readonly KeyState[] {
    const line: KeyState[] = [];
    for (let one = key(keyId); one; one = one.parent_id === null ? undefined : key(one.parent_id)) line.push(one);
    return line.length > 1 ? line.sort((a, b) => (a.id < b.id ? -1 : 1)) : line;
  }

  function count(request: RequestState, end: Settlement): void {
    const row = usageRow(request, end);
    const name = `${row.account_id} ${row.day} ${row.provider} ${row.model} ${row.key_id} ${row.status} ${row.byok}`;
    const known = usage.get(name);
    if (known) addUsage(known, row);
    else usage.set(name, row);
  }

  return {
    account,
    key,
    request,
    lineage(keyId) {
      if (keyId === null) return [];
      const line = lines.get(keyId) ?? lineFrom(keyId);
      lines.set(keyId, line);
      return line;
    },
    open(row) {
      const { id, account_id, key_id, day, byok, hold, lease_until } = row;
      opened.push(row);
      requests.set(id, { id, account_id, key_id, day, byok, hold, lease_until, status: 'running', charge: 0n });
    },
    raise(running, by) {
      raised.push({ id: running.id, by });
      requests.set(running.id, { ...running, hold: running.hold + by });
    },
    renew(id, lease_until) {
      const known = request(id);
      if (known?.status !== 'running') return;
      renewed.push({ id, lease_until });
      requests.set(id, { ...known, lease_until });
    },
    close(running, settlement, ended) {
      const { status, charge } = settlement;
      closed.push({ hold: running.hold, ended, settlement });
      requests.set(running.id, { ...running, status, charge, hold: 0n });
      count(running, settlement);
    },
    book: (entry) => void entries.push(entry),
    changes: () => ({
      ...{ opened, raised, renewed, closed, entries, requests },
      usage: [...usage.values()],
      accounts: [...accounts.values()],
      keys: [...keys.values()],
    }),
  };
}

function copied<Row extends object>(rows: Map<string, Row>, id: string, row: Row | undefined): Row | undefined {
  if (!row) return undefined;
  const copy = { ...row };
  rows.set(id, copy);
  return copy;
}

function usageRow(
  request: RequestState,
  { provider, model, status, usage, charge, upstreamCost }: Settlement,
): UsageDailyRow {
  const { account_id, day, key_id, byok } = request;
  return {
    ...{ account_id, day, provider, model, key_id: key_id ?? '', status, byok },
    requests: 1n,
    prompt_tokens: BigInt(usage.promptTokens),
    completion_tokens: BigInt(usage.completionTokens),
    cached_tokens: BigInt(usage.cachedTokens),
    reasoning_tokens: BigInt(usage.reasoningTokens),
    charge,
    upstream_cost: upstreamCost,
  };
}

function addUsage(row: UsageDailyRow, more: UsageDailyRow): void {
  row.requests += more.requests;
  row.prompt_tokens += more.prompt_tokens;
  row.completion_tokens += more.completion_tokens;
  row.cached_tokens += more.cached_tokens;
  row.reasoning_tokens += more.reasoning_tokens;
  row.charge += more.charge;
  row.upstream_cost += more.upstream_cost;
}

import { priceText } from '../models/prices/price-json.ts';
import type { LedgerEntryRow, RequestRow, UsageDailyRow } from '../storage/schema.ts';
import type { Settlement } from './ledger.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from './ledger-snapshot.ts';

/** The columns that are written when a request begins. */
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

/** An increase of a running request's hold. `provider` and `model` are set when the request moves to another model. */
export interface Raised {
  readonly id: string;
  readonly by: bigint;
  readonly provider?: string;
  readonly model?: string;
}

export interface ClosedRequest {
  /** The request before it was closed. */
  readonly request: RequestState;
  /** The hold before it was closed. The stored row is closed only if it's still running and holds the same amount. */
  readonly hold: bigint;
  /** Milliseconds since the epoch. */
  readonly ended: bigint;
  readonly settlement: Settlement;
}

export type ChargeEntry = Omit<LedgerEntryRow, 'seq' | 'idempotency_id'>;

/**
 * The changes of a batch of commands, in the order in which they must be written: one batch may open, raise and close the same
 * request. Accounts and keys are in their final state.
 */
export interface LedgerChanges {
  readonly opened: readonly OpenedRequest[];
  readonly raised: readonly Raised[];
  readonly renewed: readonly { readonly id: string; readonly lease_until: bigint }[];
  readonly closed: readonly ClosedRequest[];
  readonly entries: readonly ChargeEntry[];
  /** The amounts that closed requests add to the rows of `usage_daily`. */
  readonly usage: readonly UsageDailyRow[];
  readonly accounts: Iterable<AccountState>;
  readonly keys: Iterable<KeyState>;
  /** The requests that were opened, raised, renewed or closed, in their final state. */
  readonly requests: ReadonlyMap<string, RequestState>;
}

/**
 * The ledger while a batch is being decided. It copies each row that it reads, so a batch that fails hasn't changed the snapshot.
 */
export class LedgerBatch implements LedgerSnapshot, LedgerChanges {
  readonly opened: OpenedRequest[] = [];
  readonly raised: Raised[] = [];
  readonly renewed: { id: string; lease_until: bigint }[] = [];
  readonly closed: ClosedRequest[] = [];
  readonly entries: ChargeEntry[] = [];
  readonly requests = new Map<string, RequestState>();
  readonly #snapshot: LedgerSnapshot;
  readonly #accounts = new Map<string, AccountState>();
  readonly #keys = new Map<string, KeyState>();
  #lines: Map<string, readonly KeyState[]> | null = null;

  constructor(snapshot: LedgerSnapshot) {
    this.#snapshot = snapshot;
  }

  account(id: string): AccountState | undefined {
    return this.#accounts.get(id) ?? copyInto(this.#accounts, id, this.#snapshot.account(id));
  }

  key(id: string): KeyState | undefined {
    return this.#keys.get(id) ?? copyInto(this.#keys, id, this.#snapshot.key(id));
  }

  request(id: string): RequestState | undefined {
    return this.requests.get(id) ?? this.#snapshot.request(id);
  }

  /** Returns a key and the keys that minted it, oldest first. Spending limits are checked in this order. */
  lineage(keyId: string | null): readonly KeyState[] {
    if (keyId === null) return [];
    this.#lines ??= new Map();
    const line = this.#lines.get(keyId) ?? this.#lineFrom(keyId);
    this.#lines.set(keyId, line);
    return line;
  }

  #lineFrom(keyId: string): readonly KeyState[] {
    const line: KeyState[] = [];
    for (let key = this.key(keyId); key; key = key.parent_id === null ? undefined : this.key(key.parent_id)) {
      line.push(key);
    }
    return line.length > 1 ? line.sort((a, b) => (a.id < b.id ? -1 : 1)) : line;
  }

  open(row: OpenedRequest): void {
    const { id, account_id, key_id, day, provider, model, byok, hold, lease_until } = row;
    this.opened.push(row);
    this.requests.set(id, {
      id,
      account_id,
      key_id,
      day,
      provider,
      model,
      byok,
      hold,
      lease_until,
      status: 'running',
      charge: 0n,
    });
  }

  raise(running: RequestState, raised: Raised): void {
    const { provider = running.provider, model = running.model } = raised;
    this.raised.push(raised);
    this.requests.set(running.id, { ...running, provider, model, hold: running.hold + raised.by });
  }

  renew(id: string, lease_until: bigint): void {
    const known = this.request(id);
    if (known?.status !== 'running') return;
    this.renewed.push({ id, lease_until });
    this.requests.set(id, { ...known, lease_until });
  }

  close(request: RequestState, settlement: Settlement, ended: bigint): void {
    const { id, account_id, key_id, day, byok, hold, lease_until } = request;
    const { provider, model, status, charge } = settlement;
    this.closed.push({ request, hold, ended, settlement });
    this.requests.set(id, {
      id,
      account_id,
      key_id,
      day,
      provider,
      model,
      byok,
      hold: 0n,
      lease_until,
      status,
      charge,
    });
  }

  addEntry(entry: ChargeEntry): void {
    this.entries.push(entry);
  }

  get accounts(): Iterable<AccountState> {
    return this.#accounts.values();
  }

  get keys(): Iterable<KeyState> {
    return this.#keys.values();
  }

  /** Computed only when it's read: most commands are decided one at a time, and only the flush needs these sums. */
  get usage(): readonly UsageDailyRow[] {
    const rows = new Map<string, UsageDailyRow>();
    for (const { request, settlement } of this.closed) {
      const { provider, model, status } = settlement;
      const name = `${request.account_id} ${request.day} ${provider} ${model} ${request.key_id ?? ''} ${status} ${request.byok}`;
      const row = rows.get(name) ?? noUsage(request, settlement);
      addUsage(row, settlement);
      rows.set(name, row);
    }
    return [...rows.values()];
  }
}

function copyInto<Row extends object>(rows: Map<string, Row>, id: string, row: Row | undefined): Row | undefined {
  if (!row) return undefined;
  const copy = { ...row };
  rows.set(id, copy);
  return copy;
}

const noUsage = (
  { account_id, day, key_id, byok }: RequestState,
  { provider, model, status }: Settlement,
): UsageDailyRow => ({
  account_id,
  day,
  provider,
  model,
  key_id: key_id ?? '',
  status,
  byok,
  requests: 0n,
  prompt_tokens: 0n,
  completion_tokens: 0n,
  cached_tokens: 0n,
  reasoning_tokens: 0n,
  charge: 0n,
  upstream_cost: 0n,
});

function addUsage(row: UsageDailyRow, { usage, charge, upstreamCost }: Settlement): void {
  row.requests += 1n;
  row.prompt_tokens += BigInt(usage.promptTokens);
  row.completion_tokens += BigInt(usage.completionTokens);
  if (usage.cachedTokens > 0) row.cached_tokens += BigInt(usage.cachedTokens);
  if (usage.reasoningTokens > 0) row.reasoning_tokens += BigInt(usage.reasoningTokens);
  row.charge += charge;
  row.upstream_cost += upstreamCost;
}

/**
 * Returns the columns that the end of a request writes. Their order is fixed: `closedColumns` in `sqlite/flush.ts` relies on it.
 */
export function closedRow({ settlement: end, ended }: ClosedRequest) {
  const { usage } = end;
  return {
    status: end.status,
    error_code: end.errorCode,
    ended,
    charge: end.charge as bigint,
    upstream_cost: end.upstreamCost as bigint,
    estimated: end.estimated ? 1 : 0,
    provider: end.provider,
    model: end.model,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.audioTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWriteHourTokens ?? 0,
    web_searches: usage.searches ?? 0,
    image_tokens: usage.imageTokens ?? 0,
    cost_up_to: (end.costUpTo ?? 0n) as bigint,
    byok_fee_bps: end.byokFeeBps ?? 0,
    first_token_ms: end.firstTokenMs === null ? null : Math.round(end.firstTokenMs),
    total_ms: Math.round(end.totalMs),
    price: end.price && priceText(end.price),
    routing: end.routing,
  };
}

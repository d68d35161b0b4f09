import type { Generated, GeneratedAlways, Selectable } from 'kysely';
import type { KeySecretTable, RevokedTokenTable, TokenKeyTable, UserTable } from './token-tables.ts';

/**
 * One schema for both databases. Every integer is a `bigint` in code: money is nano-USD, times are milliseconds since the epoch,
 * flags are 0 or 1. Stores turn counts and times into numbers with `Number()`.
 */
export interface GatewayTables {
  accounts: AccountTable;
  api_keys: ApiKeyTable;
  requests: RequestTable;
  ledger_entries: LedgerEntryTable;
  usage_daily: UsageDailyTable;
  users: UserTable;
  token_keys: TokenKeyTable;
  key_secrets: KeySecretTable;
  revoked_tokens: RevokedTokenTable;
  kept_answers: KeptAnswerTable;
  kept_reasoning: ReasoningStateTable;
  price_rows: PriceRowTable;
  price_editions: PriceEditionTable;
  definitions: DefinitionTable;
  limit_uses: LimitUseTable;
  limit_places: LimitPlaceTable;
  model_health: ModelHealthTable;
  sweep_progress: SweepProgressTable;
}

interface AccountTable {
  id: string;
  name: string;
  email: string | null;
  plan: string;
  status: 'active' | 'suspended' | 'closed';
  /** The sum of the account's ledger entries. */
  balance: bigint;
  /** The sum of the holds of its running requests. */
  held: bigint;
  /** The sums of what was added and of what was charged: the two sides of the balance. */
  granted: bigint;
  used: bigint;
  created: bigint;
  /** Unix seconds. Tokens of its users that were issued before are invalid. */
  tokens_valid_after: Generated<bigint>;
  /** The last UTC day on which a request began, and how many began on it, for the plan's daily quota. */
  day: Generated<string>;
  day_requests: Generated<bigint>;
  /** What requests that began on that day were charged. */
  day_used: Generated<bigint>;
  /** The last month (`YYYY-MM`) with a charge, and its sum, for the plan's monthly quota. */
  month: Generated<string>;
  month_used: Generated<bigint>;
  /** The spending limits that the account sets for its keys, by day and month. Null: no limit besides the plan's. */
  day_limit: bigint | null;
  month_limit: bigint | null;
  /** The key that is exempt from them because its program asks a person before it exceeds them: that of the desktop app. */
  unlimited_key: string | null;
  /** JSON of the monthly limits for single models, with what was spent on each (`ledger/spending-limits.ts`). Null: none. */
  model_limits: string | null;
}

interface ApiKeyTable {
  id: string;
  account_id: string;
  /** HMAC-SHA-256(pepper, key). */
  digest: Uint8Array;
  prefix: string;
  label: string | null;
  /** JSON array. */
  scopes: string;
  created: bigint;
  expires_at: bigint | null;
  revoked_at: bigint | null;
  last_used_at: bigint | null;
  /** The spending limit for the lifetime of this key and of the keys minted under it. Null: no limit besides the account's. */
  spend_limit: bigint | null;
  spent: Generated<bigint>;
  /** The sum of the holds of its running requests, including those of keys minted under it. */
  held: Generated<bigint>;
  /** The key that minted this one. Its rights, its limit and its expiry also apply to this key (`auth/key-standing.ts`). */
  parent_id: string | null;
  /** Whose rate limits the key shares. Null: its own. */
  window_id: string | null;
  /** The token that minted the key, if one did: its user, `jti`, `kid`, `iat` and `exp`. Times are Unix seconds. */
  token_user: string | null;
  token_id: string | null;
  token_key: string | null;
  token_issued: bigint | null;
  token_expires: bigint | null;
}

interface RequestTable {
  id: string;
  account_id: string;
  key_id: string | null;
  instance_id: string;
  created: bigint;
  /** `YYYY-MM-DD` of `created`, UTC. */
  day: string;
  ended: bigint | null;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  error_code: string | null;
  provider: string;
  model: string;
  purpose: string | null;
  conversation_id: string | null;
  /** The caller's own name for its end user, as it was sent. */
  end_user: string | null;
  /** JSON object of strings. */
  metadata: string;
  /** The `client_request_id` of the metadata. The database derives it. */
  client_request_id: GeneratedAlways<string | null>;
  byok: bigint;
  /** The operator's fee for a request on the caller's own key: a share of the provider cost in basis points. */
  byok_fee_bps: Generated<bigint>;
  /** The amount reserved while the request runs; 0 afterwards. */
  hold: bigint;
  lease_until: bigint;
  charge: Generated<bigint>;
  upstream_cost: Generated<bigint>;
  estimated: Generated<bigint>;
  prompt_tokens: Generated<bigint>;
  completion_tokens: Generated<bigint>;
  cached_tokens: Generated<bigint>;
  cache_write_tokens: Generated<bigint>;
  reasoning_tokens: Generated<bigint>;
  /** Part of the prompt tokens, for providers that count audio input separately. */
  audio_tokens: Generated<bigint>;
  /** Part of the cache write tokens: those that are cached for an hour. */
  cache_write_1h_tokens: Generated<bigint>;
  web_searches: Generated<bigint>;
  image_tokens: Generated<bigint>;
  /** The most that the provider may charge if the estimate may be too low; 0 otherwise. */
  cost_up_to: Generated<bigint>;
  first_token_ms: bigint | null;
  total_ms: bigint | null;
  /** JSON of the price that was used, in the wire's format. */
  price: string | null;
  /** JSON of the routing decision. */
  routing: string | null;
}

interface LedgerEntryTable {
  /** The order in which entries were recorded. Within an account it's the order in which the balance changed. */
  seq: Generated<bigint>;
  id: string;
  account_id: string;
  type: 'grant' | 'purchase' | 'usage' | 'refund' | 'adjustment' | 'expiry' | 'byok_fee';
  amount: bigint;
  balance_after: bigint;
  created: bigint;
  description: string | null;
  request_id: string | null;
  provider: string | null;
  model: string | null;
  estimated: bigint;
  /** Makes a grant idempotent: an id is granted only once. */
  idempotency_id: string | null;
}

/** Counters by the day on which requests began, so a dashboard never has to read every request. */
interface UsageDailyTable {
  account_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  provider: string;
  model: string;
  /** Empty when no key was used. */
  key_id: string;
  status: string;
  byok: bigint;
  requests: bigint;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  cached_tokens: bigint;
  reasoning_tokens: bigint;
  charge: bigint;
  upstream_cost: bigint;
}

/** The answers stored for an `Idempotency-Key` (wire contract §3.4). */
interface KeptAnswerTable {
  /** HMAC of credential, path and key. */
  id: string;
  /** HMAC of the body. */
  fingerprint: Uint8Array;
  request_id: string;
  /** While the request runs: until when it counts as alive without a renewal. Null when it has finished. */
  lease_until: bigint | null;
  /** When the answer is deleted. */
  expires: bigint;
  /** The answer, encrypted. Null while the request runs. */
  answer: Uint8Array | null;
}

/** Signed reasoning state of a provider, found by the tool call that it led to (`reasoning/reasoning-state.ts`). */
interface ReasoningStateTable {
  /** HMAC of account and call. */
  id: string;
  account_id: string;
  /** When the state is deleted. */
  expires: bigint;
  /** The provider's state, encrypted. */
  state: Uint8Array;
}

/** A price besides those that ship with the gateway. Rows are only ever added (`price-rows.ts`). */
interface PriceRowTable {
  seq: Generated<bigint>;
  /** `provider/model`. */
  model: string;
  kind: 'override' | 'refresh';
  source: string;
  /** `YYYY-MM-DD`. */
  as_of: string;
  /** `YYYY-MM-DD`, UTC. */
  valid_from: string;
  /** JSON in the format of the price document. Null ends an override. */
  price: string | null;
  created: bigint;
}

/** Newer price books that the gateway has adopted (`price-editions.ts`). */
interface PriceEditionTable {
  /** `YYYY-MM-DD`. */
  as_of: string;
  source: string;
  taken: bigint;
}

/** A plan or provider that the operator has defined by command. */
interface DefinitionTable {
  kind: 'plan' | 'provider';
  id: string;
  /** JSON, as in the configuration file. Keys are only references to secrets. */
  document: string;
  changed: bigint;
}

/** The progress of a sweep over the requests, from which any instance continues. */
interface SweepProgressTable {
  task: 'routing_details';
  /** The last id that was processed; empty when none was. */
  reached: string;
}

/**
 * PostgreSQL only: what was taken from a rate limit's window (`limits/postgres-store.ts`). Times are those of the database's
 * clock.
 */
interface LimitUseTable {
  key: string;
  /** Half seconds since the epoch. */
  bucket: bigint;
  at: bigint;
  cost: bigint;
}

/** PostgreSQL only: the running requests of a key whose number is limited. */
interface LimitPlaceTable {
  id: string;
  key: string;
  instance_id: string;
  lease_until: bigint;
}

/** PostgreSQL only: models that some instance avoids (`cluster.ts`). */
interface ModelHealthTable {
  model: string;
  /** The instance that reported it last. */
  instance_id: string;
  /** A different number after every change. */
  changed: Generated<bigint>;
  open_ms: bigint;
  open_until: bigint;
  cooling_until: bigint;
}

export type AccountRow = Selectable<AccountTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type KeptAnswerRow = Selectable<KeptAnswerTable>;
export type RequestRow = Selectable<RequestTable>;
export type LedgerEntryRow = Selectable<LedgerEntryTable>;
export type PriceRowRow = Selectable<PriceRowTable>;
export type UsageDailyRow = Selectable<UsageDailyTable>;
export type UserRow = Selectable<UserTable>;
export type TokenKeyRow = Selectable<TokenKeyTable>;

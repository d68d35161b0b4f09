import type { Generated, GeneratedAlways, Selectable } from 'kysely';
import type { KeySecretTable, RevokedTokenTable, TokenKeyTable, UserTable } from './token-tables.ts';

/**
 * One schema for both databases. Every integer is a `bigint` in code: money is nano-USD, times are milliseconds since
 * the epoch, flags are 0 or 1. Stores turn counts and times into numbers with `Number()`.
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
  /** Sum of the account's ledger entries. */
  balance: bigint;
  /** Sum of the holds of its running requests. */
  held: bigint;
  /** Sum of what was added and of what was used: the two sides of the balance. */
  granted: bigint;
  used: bigint;
  created: bigint;
  /** Unix seconds: tokens of its users that were issued earlier are worth nothing. */
  tokens_valid_after: Generated<bigint>;
  /** The last UTC day a request began on, and how many began on it: what the plan's daily quota counts. */
  day: Generated<string>;
  day_requests: Generated<bigint>;
  /** What requests that began on that day were charged. */
  day_used: Generated<bigint>;
  /** The last month (`YYYY-MM`) something was charged for, and how much: what the plan's monthly quota counts. */
  month: Generated<string>;
  month_used: Generated<bigint>;
  /** What the account's own limits let its keys spend in a day and a month; null: as much as the plan does. */
  day_limit: bigint | null;
  month_limit: bigint | null;
  /** A key that may pass them, since whoever uses it asks before: the desktop app's own. */
  unlimited_key: string | null;
  /** JSON: what single models may be spent on in a month, with what was (`ledger/model-limits.ts`); null: no such limits. */
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
  /** What this key and the keys it minted may ever spend together; null: as much as the account. */
  spend_limit: bigint | null;
  spent: Generated<bigint>;
  /** Sum of the holds of its running requests, those of the keys it minted included. */
  held: Generated<bigint>;
  /** The key that minted this one: its rights, its limit and its end hold for both (`auth/key-standing.ts`). */
  parent_id: string | null;
  /** Whose rate limits it shares; null: its own. */
  window_id: string | null;
  /** The token that minted it, where one did: its user, its `jti`, `kid`, `iat` and `exp`, the times in Unix seconds. */
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
  /** What the metadata says of it; the database reads it there. */
  client_request_id: GeneratedAlways<string | null>;
  byok: bigint;
  /** What the operator asks of the upstream's cost where it ran on the caller's own key, in basis points. */
  byok_fee_bps: Generated<bigint>;
  /** Reserved while running; 0 afterwards. */
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
  /** Of the prompt tokens, where the provider counts spoken input apart. */
  audio_tokens: Generated<bigint>;
  /** Of the cache write tokens: those that are to stay for an hour. */
  cache_write_1h_tokens: Generated<bigint>;
  web_searches: Generated<bigint>;
  image_tokens: Generated<bigint>;
  /** What the upstream may bill at the most, where the estimate may be too low; 0 where that isn't so. */
  cost_up_to: Generated<bigint>;
  first_token_ms: bigint | null;
  total_ms: bigint | null;
  /** JSON of the price row that was used, in the wire's spelling. */
  price: string | null;
  /** JSON of the routing decision. */
  routing: string | null;
}

interface LedgerEntryTable {
  /** Order of booking: per account the order in which the balance changed. */
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
  /** Makes a grant happen once. */
  idempotency_id: string | null;
}

/** Counters per day of the request's start, so that a dashboard never reads every request. */
interface UsageDailyTable {
  account_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  provider: string;
  model: string;
  /** Empty: no key. */
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

/** What an `Idempotency-Key` stands for (wire contract §3.4). */
interface KeptAnswerTable {
  /** HMAC of credential, path and key. */
  id: string;
  /** HMAC of the body. */
  fingerprint: Uint8Array;
  request_id: string;
  /** While it runs: how long it is believed without a sign of life. Null: it is finished. */
  lease_until: bigint | null;
  /** When it is forgotten. */
  expires: bigint;
  /** The answer, encrypted; null while it runs. */
  answer: Uint8Array | null;
}

/** What a provider signed, by the tool call that it led to (`reasoning/reasoning-state.ts`). */
interface ReasoningStateTable {
  /** HMAC of account and call. */
  id: string;
  account_id: string;
  /** When it is forgotten. */
  expires: bigint;
  /** The provider's state, encrypted. */
  state: Uint8Array;
}

/** A price beside the shipped book. Only ever added to (`price-rows.ts`). */
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
  /** JSON in the price document's spelling; null ends an override. */
  price: string | null;
  created: bigint;
}

/** Newer price books that were taken over (`price-editions.ts`). */
interface PriceEditionTable {
  /** `YYYY-MM-DD`. */
  as_of: string;
  source: string;
  taken: bigint;
}

/** What the operator defines by command. */
interface DefinitionTable {
  kind: 'plan' | 'provider';
  id: string;
  /** JSON, as the configuration file has it; keys only as references. */
  document: string;
  changed: bigint;
}

/** How far a sweep over the books has come, which all instances go on from. */
interface SweepProgressTable {
  task: 'routing_details';
  /** The last id that it has seen; empty: none. */
  reached: string;
}

/** PostgreSQL only: what was taken from a rate limit's window (`limits/postgres-store.ts`). Times by the database's clock. */
interface LimitUseTable {
  key: string;
  /** Half seconds since the epoch. */
  bucket: bigint;
  at: bigint;
  cost: bigint;
}

/** PostgreSQL only: a request that runs, as far as it is limited how many do. */
interface LimitPlaceTable {
  id: string;
  key: string;
  instance_id: string;
  lease_until: bigint;
}

/** PostgreSQL only: models that some instance avoids (`cluster.ts`). */
interface ModelHealthTable {
  model: string;
  /** Who said so last. */
  instance_id: string;
  /** Another number with every change. */
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

import type { BooksTransaction } from '../db/open.ts';
import type { AccountRow, ApiKeyRow, RequestRow } from '../db/schema.ts';
import { BooksAdapter } from '../db/sqlite.ts';

/**
 * The statements of `batch.ts`, in SQLite's words and run on the connection itself: between a row that is read and the
 * same row written there is no await, and nobody else writes.
 */

type Value = string | bigint | number | null;

/** An account as a batch knows it: what guards read and what requests change. */
export type AccountState = Pick<
  AccountRow,
  'id' | 'plan' | 'balance' | 'held' | 'used' | 'day' | 'day_requests' | 'month' | 'month_used'
>;
export type KeyState = Pick<ApiKeyRow, 'id' | 'parent_id' | 'spend_limit' | 'spent' | 'held'>;
export type OpenRow = Pick<RequestRow, 'id' | 'account_id' | 'key_id' | 'day' | 'byok' | 'hold' | 'status' | 'charge'>;

const texts = {
  account: 'select id, plan, balance, held, used, day, day_requests, month, month_used from accounts where id = ?',
  saveAccount: `update accounts set balance = ?, held = ?, used = ?, day = ?, day_requests = ?, month = ?, month_used = ?
    where id = ?`,
  key: 'select id, parent_id, spend_limit, spent, held from api_keys where id = ?',
  saveKey: 'update api_keys set held = ?, spent = ? where id = ?',
  request: 'select id, account_id, key_id, day, byok, hold, status, charge from requests where id = ?',
  insertRequest: `insert into requests (id, account_id, key_id, instance_id, created, day, status, provider, model, purpose,
      conversation_id, end_user, metadata, byok, hold, lease_until)
    values (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  extendRequest: "update requests set hold = hold + ? where id = ? and status = 'running'",
  renewRequest: "update requests set lease_until = ? where id = ? and status = 'running'",
  // The hold says that nobody else has touched the row since it was last seen.
  closeRequest: `update requests set status = ?, error_code = ?, ended = ?, hold = 0, charge = ?, upstream_cost = ?,
      estimated = ?, provider = ?, model = ?, prompt_tokens = ?, completion_tokens = ?, cached_tokens = ?,
      cache_write_tokens = ?, reasoning_tokens = ?, audio_tokens = ?, cache_write_1h_tokens = ?,
      byok_fee_bps = ?, first_token_ms = ?, total_ms = ?, price = ?, routing = ?
    where id = ? and status = 'running' and hold = ?`,
  insertEntry: `insert into ledger_entries (id, account_id, type, amount, balance_after, created, description, request_id,
      provider, model, estimated)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addUsage: `insert into usage_daily (account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (account_id, day, provider, model, key_id, status, byok) do update set
      requests = requests + excluded.requests, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens,
      cached_tokens = cached_tokens + excluded.cached_tokens,
      reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, charge = charge + excluded.charge,
      upstream_cost = upstream_cost + excluded.upstream_cost`,
} as const;

type Reading = 'account' | 'key' | 'request';
type Writing = Exclude<keyof typeof texts, Reading>;

export interface BatchStatements {
  account(id: string): AccountState | undefined;
  key(id: string): KeyState | undefined;
  request(id: string): OpenRow | undefined;
  /** How many rows it changed. */
  write(name: Writing, values: readonly Value[]): number;
}

const known = new WeakMap<BooksAdapter, BatchStatements>();

/** The statements on a transaction's connection, prepared once. */
export function batchStatements(trx: BooksTransaction): BatchStatements {
  const { adapter } = trx.getExecutor();
  if (!(adapter instanceof BooksAdapter)) throw new Error('batches are for SQLite');
  const prepared = known.get(adapter) ?? prepareAll(adapter);
  known.set(adapter, prepared);
  return prepared;
}

function prepareAll({ prepare }: BooksAdapter): BatchStatements {
  const names = Object.keys(texts) as (keyof typeof texts)[];
  const all = Object.fromEntries(names.map((name) => [name, prepare(texts[name])])) as Record<
    keyof typeof texts,
    ReturnType<BooksAdapter['prepare']>
  >;
  const read = <Row>(name: Reading, id: string) => all[name].all([id])[0] as Row | undefined;
  return {
    account: (id) => read<AccountState>('account', id),
    key: (id) => read<KeyState>('key', id),
    request: (id) => read<OpenRow>('request', id),
    write: (name, values) => Number(all[name].run(values).changes),
  };
}

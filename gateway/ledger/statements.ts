import { sql } from 'kysely';
import { compiledOnce } from '../db/compiled-once.ts';
import type { BooksDb } from '../db/open.ts';
import type { ApiKeyRow, LedgerEntryRow, RequestRow } from '../db/schema.ts';
import { mayHold, mayOpen, monthUsed } from './quota.ts';

/** The statements that every request runs. What they mean together is in `ledger-store.ts`. */

export const findRequestId = compiledOnce<{ id: string }, { id: string }>((db, value) =>
  db.selectFrom('requests').select('id').where('id', '=', value('id')),
);

type OpenedRequest = Pick<
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

/** Counts and costs start at their column's default, 0. */
export const insertRequest = compiledOnce<OpenedRequest>((db, value) =>
  db.insertInto('requests').values({
    id: value('id'),
    account_id: value('account_id'),
    key_id: value('key_id'),
    instance_id: value('instance_id'),
    created: value('created'),
    day: value('day'),
    status: 'running',
    provider: value('provider'),
    model: value('model'),
    purpose: value('purpose'),
    conversation_id: value('conversation_id'),
    end_user: value('end_user'),
    metadata: value('metadata'),
    byok: value('byok'),
    hold: value('hold'),
    lease_until: value('lease_until'),
  }),
);

type Reservation = { account_id: string; amount: bigint; day: string; month: string };

/**
 * Counts a new request and reserves for it, where the plan's quotas and the balance allow that. The day only moves on: the
 * clocks of instances differ, and one that is late must not begin it again.
 */
export const open = compiledOnce<Reservation>((db, value) =>
  db
    .updateTable('accounts')
    .set({
      held: sql<bigint>`held + ${value('amount')}`,
      day: sql<string>`case when day > ${value('day')} then day else ${value('day')} end`,
      day_requests: sql<bigint>`case when day > ${value('day')} then day_requests
        when day = ${value('day')} then day_requests + 1 else 1 end`,
    })
    .where('id', '=', value('account_id'))
    .where(mayHold(value('amount'), value('month')))
    .where(mayOpen(value('day'))),
);

/** Reserves more for a request that was counted before. */
export const reserve = compiledOnce<Omit<Reservation, 'day'>>((db, value) =>
  db
    .updateTable('accounts')
    .set({ held: sql<bigint>`held + ${value('amount')}` })
    .where('id', '=', value('account_id'))
    .where(mayHold(value('amount'), value('month'))),
);

/** A key, the limited key that minted it, and so on: oldest first, so that locks are always taken in one order. */
export const lockKeys = compiledOnce<{ id: string }, Pick<ApiKeyRow, 'id' | 'spend_limit' | 'spent' | 'held'>>(
  (db, value) =>
    db
      .selectFrom('api_keys')
      .select(['id', 'spend_limit', 'spent', 'held'])
      .where('id', 'in', lineage(value('id')))
      .orderBy('id')
      // Not `for update`: that also keeps out who only refers to the row (a new request to its key), and both would wait.
      .$call((query) => (hasRowLocks(db) ? query.forNoKeyUpdate() : query)),
);

export const addToKeys = compiledOnce<{ id: string; held: bigint; spent: bigint }>((db, value) =>
  db
    .updateTable('api_keys')
    .set({ held: sql<bigint>`held + ${value('held')}`, spent: sql<bigint>`spent + ${value('spent')}` })
    .where('id', 'in', lineage(value('id'))),
);

const lineage = (id: string) => sql<string>`(
  with recursive line (id, parent_id) as (
    select id, parent_id from api_keys where id = ${id}
    union all select parent.id, parent.parent_id from api_keys as parent join line on parent.id = line.parent_id
  ) select id from line)`;

export const renewLease = compiledOnce<{ id: string; lease_until: bigint }>((db, value) =>
  db
    .updateTable('requests')
    .set({ lease_until: value('lease_until') })
    .where('id', '=', value('id'))
    .where('status', '=', 'running'),
);

export const lockRequest = compiledOnce<{ id: string }, RequestRow>((db, value) =>
  db
    .selectFrom('requests')
    .selectAll()
    .where('id', '=', value('id'))
    .$call((query) => (hasRowLocks(db) ? query.forNoKeyUpdate() : query)),
);

type ClosedRequest = Pick<
  RequestRow,
  | 'id'
  | 'status'
  | 'error_code'
  | 'ended'
  | 'charge'
  | 'upstream_cost'
  | 'estimated'
  | 'provider'
  | 'model'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'cache_write_tokens'
  | 'reasoning_tokens'
  | 'audio_tokens'
  | 'cache_write_1h_tokens'
  | 'byok_fee_bps'
  | 'first_token_ms'
  | 'total_ms'
  | 'price'
  | 'routing'
>;

export const closeRequest = compiledOnce<ClosedRequest>((db, value) =>
  db
    .updateTable('requests')
    .set({
      status: value('status'),
      error_code: value('error_code'),
      ended: value('ended'),
      hold: 0n,
      charge: value('charge'),
      upstream_cost: value('upstream_cost'),
      estimated: value('estimated'),
      provider: value('provider'),
      model: value('model'),
      prompt_tokens: value('prompt_tokens'),
      completion_tokens: value('completion_tokens'),
      cached_tokens: value('cached_tokens'),
      cache_write_tokens: value('cache_write_tokens'),
      reasoning_tokens: value('reasoning_tokens'),
      audio_tokens: value('audio_tokens'),
      cache_write_1h_tokens: value('cache_write_1h_tokens'),
      byok_fee_bps: value('byok_fee_bps'),
      first_token_ms: value('first_token_ms'),
      total_ms: value('total_ms'),
      price: value('price'),
      routing: value('routing'),
    })
    .where('id', '=', value('id')),
);

type Charge = { account_id: string; hold: bigint; charge: bigint; month: string };

/** Frees a hold and charges; a charge belongs to the month its request began in. */
export const charge = compiledOnce<Charge, { balance: bigint }>((db, value) =>
  db
    .updateTable('accounts')
    .set({
      held: sql<bigint>`held - ${value('hold')}`,
      balance: sql<bigint>`balance - ${value('charge')}`,
      used: sql<bigint>`used + ${value('charge')}`,
      month_used: sql<bigint>`case when month > ${value('month')} then month_used
        else ${monthUsed(value('month'))} + ${value('charge')} end`,
      month: sql<string>`case when month > ${value('month')} then month else ${value('month')} end`,
    })
    .where('id', '=', value('account_id'))
    .returning('balance'),
);

type ChargeEntry = Omit<LedgerEntryRow, 'seq' | 'idempotency_id'>;

export const insertChargeEntry = compiledOnce<ChargeEntry>((db, value) =>
  db.insertInto('ledger_entries').values({
    id: value('id'),
    account_id: value('account_id'),
    type: value('type'),
    amount: value('amount'),
    balance_after: value('balance_after'),
    created: value('created'),
    description: value('description'),
    request_id: value('request_id'),
    provider: value('provider'),
    model: value('model'),
    estimated: value('estimated'),
  }),
);

/** PostgreSQL; SQLite has one writer at a time and no row locks. */
const hasRowLocks = (db: BooksDb) => db.getExecutor().adapter.supportsMultipleConnections !== false;

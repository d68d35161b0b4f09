import { sql } from 'kysely';
import { compiledOnce } from '../db/compiled-once.ts';
import type { BooksDb } from '../db/open.ts';
import type { LedgerEntryRow, RequestRow } from '../db/schema.ts';
import { plans } from '../plans.ts';

/** The statements that every request runs. What they mean together is in `ledger-store.ts`. */

const meterOnlyPlans = plans.filter((plan) => plan.billing === 'meter_only').map((plan) => plan.id);

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
    metadata: value('metadata'),
    byok: value('byok'),
    hold: value('hold'),
    lease_until: value('lease_until'),
  }),
);

/** Reserves where the plan is never refused, where nothing is reserved, or where the balance covers it. */
export const reserve = compiledOnce<{ account_id: string; amount: bigint }>((db, value) =>
  db
    .updateTable('accounts')
    .set({ held: sql<bigint>`held + ${value('amount')}` })
    .where('id', '=', value('account_id'))
    .where((row) =>
      row.or([
        row('plan', 'in', meterOnlyPlans),
        sql<boolean>`cast(${value('amount')} as bigint) = 0`,
        sql<boolean>`balance - held >= ${value('amount')}`,
      ]),
    ),
);

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
    .$call((query) => (hasRowLocks(db) ? query.forUpdate() : query)),
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
      first_token_ms: value('first_token_ms'),
      total_ms: value('total_ms'),
      price: value('price'),
      routing: value('routing'),
    })
    .where('id', '=', value('id')),
);

export const charge = compiledOnce<{ account_id: string; hold: bigint; charge: bigint }, { balance: bigint }>(
  (db, value) =>
    db
      .updateTable('accounts')
      .set({
        held: sql<bigint>`held - ${value('hold')}`,
        balance: sql<bigint>`balance - ${value('charge')}`,
        used: sql<bigint>`used + ${value('charge')}`,
      })
      .where('id', '=', value('account_id'))
      .returning('balance'),
);

type UsageEntry = Omit<LedgerEntryRow, 'seq' | 'type' | 'idempotency_id'>;

export const insertUsageEntry = compiledOnce<UsageEntry>((db, value) =>
  db.insertInto('ledger_entries').values({
    id: value('id'),
    account_id: value('account_id'),
    type: 'usage',
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

import { AppError } from '#shared/errors.ts';
import { formatUsd, maxNano, type NanoUsd } from '#shared/money.ts';
import { newId } from '../storage/id.ts';
import type { GatewayTransaction } from '../storage/open-database.ts';

export interface Grant {
  readonly accountId: string;
  readonly amount: NanoUsd;
  readonly description?: string;
  /** Makes it happen once, however often it is called. */
  readonly id?: string;
}

/** One grant never exceeds this, a billion dollars: more is a slip of the pen. */
const largest = 1_000_000_000_000_000_000n;

/** Adds credits to an account: balance and ledger entry in one transaction. */
export async function grantCredits(trx: GatewayTransaction, grant: Grant, now: number): Promise<{ id: string }> {
  if (grant.amount <= 0n || grant.amount > largest) {
    throw new AppError('invalid_input', 'A grant must be more than $0 and at most $1,000,000,000.');
  }
  const repeated = grant.id === undefined ? undefined : await findGrant(trx, grant.id);
  if (repeated) return getRepeat(repeated, grant);
  const account = await trx
    .updateTable('accounts')
    .set((row) => ({ balance: row('balance', '+', grant.amount), granted: row('granted', '+', grant.amount) }))
    .where('id', '=', grant.accountId)
    .where('granted', '<=', maxNano - grant.amount)
    .returning('balance')
    .executeTakeFirst();
  if (!account) throw await notGranted(trx, grant);
  const id = newId('txn', now);
  await trx
    .insertInto('ledger_entries')
    .values({
      id,
      account_id: grant.accountId,
      type: 'grant',
      amount: grant.amount,
      balance_after: account.balance,
      created: BigInt(now),
      description: grant.description ?? null,
      estimated: 0n,
      idempotency_id: grant.id ?? null,
    })
    .execute();
  return { id };
}

async function notGranted(trx: GatewayTransaction, { accountId }: Grant): Promise<AppError> {
  const account = await trx.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst();
  if (!account) return new AppError('not_found', `There is no account "${accountId}".`);
  return new AppError('invalid_input', `All grants of an account together are at most $${formatUsd(maxNano)}.`);
}

const findGrant = (trx: GatewayTransaction, idempotencyId: string) =>
  trx
    .selectFrom('ledger_entries')
    .select(['id', 'account_id', 'amount'])
    .where('idempotency_id', '=', idempotencyId)
    .executeTakeFirst();

function getRepeat(booked: { id: string; account_id: string; amount: bigint }, grant: Grant): { id: string } {
  if (booked.account_id !== grant.accountId || booked.amount !== grant.amount) {
    throw new AppError('invalid_input', `The grant "${grant.id}" was already booked with another account or amount.`);
  }
  return { id: booked.id };
}

import { sql } from 'kysely';
import { dialectOfDb, type GatewayDb } from '../storage/open-database.ts';
import { type ModelLimit, modelLimitsText, readModelLimits } from './model-limits.ts';
import { total } from './rules/rule.ts';

/**
 * Limits single models of an account (null: no longer), with what each was charged in the account's month and holds at this moment:
 * in one transaction, so that no request is counted twice or not at all.
 */
export async function limitModels(
  db: GatewayDb,
  accountId: string,
  models: Readonly<Record<string, bigint | null>>,
): Promise<void> {
  const account = db.selectFrom('accounts').select(['month', 'model_limits']).where('id', '=', accountId);
  const isPostgres = dialectOfDb(db) === 'postgres';
  const { month, model_limits } = await (isPostgres ? account.forUpdate() : account).executeTakeFirstOrThrow();
  const limits = readModelLimits(model_limits);
  for (const [id, limit] of Object.entries(models)) {
    if (limit === null) limits.delete(id);
    else limits.set(id, { limit, ...(await spentOn(db, { accountId, month, id })) });
  }
  await db
    .updateTable('accounts')
    .set({ model_limits: modelLimitsText(limits) })
    .where('id', '=', accountId)
    .execute();
}

async function spentOn(
  db: GatewayDb,
  { accountId, month, id }: { readonly accountId: string; readonly month: string; readonly id: string },
): Promise<Pick<ModelLimit, 'used' | 'held'>> {
  const ofModel = sql`account_id = ${accountId} and provider || '/' || model = ${id}`;
  const { rows } = await sql<Pick<ModelLimit, 'used' | 'held'>>`select
    (select ${total(sql`charge`)} from usage_daily where ${ofModel} and substr(day, 1, 7) >= ${month}) as used,
    (select ${total(sql`hold`)} from requests where ${ofModel} and status = 'running') as held`.execute(db);
  return { used: rows[0]?.used ?? 0n, held: rows[0]?.held ?? 0n };
}

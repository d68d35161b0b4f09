import { sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import { readModelLimits } from '../model-limits.ts';
import { type Rule, total, type Violation } from './rule.ts';

/** What the limits of single models have counted against what the requests come to (wire contract §7). */
function modelRule(name: string, counted: 'used' | 'held'): Rule {
  return {
    name,
    unit: 'money',
    async look(db) {
      const accounts = await db
        .selectFrom('accounts')
        .select(['id', 'month', 'model_limits'])
        .where('model_limits', 'is not', null)
        .orderBy('id')
        .execute();
      const violations: Violation[] = [];
      let checked = 0;
      for (const { id, month, model_limits } of accounts) {
        for (const [model, limit] of readModelLimits(model_limits)) {
          checked += 1;
          const expected = await getSum(db, counted, { id, month, model });
          if (expected !== limit[counted]) {
            violations.push({ place: `${id} ${model}`, expected, found: limit[counted] });
          }
        }
      }
      return { checked, violations };
    },
  };
}

async function getSum(
  db: GatewayDb,
  counted: 'used' | 'held',
  { id, month, model }: { readonly id: string; readonly month: string; readonly model: string },
): Promise<bigint> {
  const ofModel = sql`account_id = ${id} and provider || '/' || model = ${model}`;
  const { rows } =
    counted === 'held'
      ? await sql<{ sum: bigint }>`
          select ${total(sql`hold`)} as sum from requests where status = 'running' and ${ofModel}`.execute(db)
      : await sql<{ sum: bigint }>`
          select ${total(sql`charge`)} as sum from ended_sums where substr(day, 1, 7) >= ${month} and ${ofModel}`.execute(
          db,
        );
  return rows[0]?.sum ?? 0n;
}

export const modelRules: readonly Rule[] = [
  modelRule('a model’s limit has counted what it was charged since the account’s month began', 'used'),
  modelRule('a model’s limit holds what its running requests hold', 'held'),
];

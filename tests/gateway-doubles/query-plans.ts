import { CompiledQuery, type KyselyPlugin, sql } from 'kysely';
import type { GatewayDb } from '../../gateway/storage/open-database.ts';
import { onPostgres } from './test-database.ts';

/** Returns the database's plan, as text, for each query that `run` makes, in their order. */
export async function getPlans(db: GatewayDb, run: (db: GatewayDb) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  const recording: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  if (onPostgres()) await sql`analyze`.execute(db);
  await run(db.withPlugin(recording));
  const explain = onPostgres() ? 'explain' : 'explain query plan';
  const plans: string[] = [];
  for (const { sql: text, parameters } of queries) {
    const { rows } = await db.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
    );
    plans.push(rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

import type { Compilable, RawBuilder } from 'kysely';
import type { GatewayDb } from './open-database.ts';
import { GatewaySqliteAdapter } from './sqlite.ts';

/**
 * Runs a query that reads a large part of the books. SQLite would hold the event loop for as long: there a thread of its own reads,
 * from the file; what was decided before is in it. In memory, and on PostgreSQL, it runs like any other.
 */
export async function readApart<Row>(
  db: GatewayDb,
  query: Compilable<Row> & { execute(): Promise<Row[]> },
): Promise<Row[]> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof GatewaySqliteAdapter) || !adapter.connection.reading) return query.execute();
  const { sql, parameters } = query.compile();
  adapter.connection.hooks?.before(false);
  return (await adapter.connection.reading.read(sql, parameters)) as Row[];
}

/**
 * Runs a query for what no step of the ledger changes. Where SQLite lacks steps yet, it need not wait until they are brought in: for
 * what is asked every second under load that would be a transaction in one go.
 */
export async function readAsStored<Row>(db: GatewayDb, query: RawBuilder<Row>): Promise<Row[]> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof GatewaySqliteAdapter) || adapter.connection.isBusy) return (await query.execute(db)).rows;
  const { sql, parameters } = query.compile(db);
  return adapter.connection.readAsStored(sql, parameters) as Row[];
}

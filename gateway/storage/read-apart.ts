import type { Compilable, RawBuilder } from 'kysely';
import type { GatewayDb } from './open-database.ts';
import { GatewaySqliteAdapter } from './sqlite.ts';

/**
 * Runs a query that reads a large part of the database. On SQLite it would block the event loop, so another thread runs it on the
 * file, after unflushed events were written. In memory and on PostgreSQL it runs like any other query.
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
 * Runs a query for data that ledger events never change. On SQLite it doesn't wait for a flush: queries that run every second
 * under load would otherwise each force one.
 */
export async function readAsStored<Row>(db: GatewayDb, query: RawBuilder<Row>): Promise<Row[]> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof GatewaySqliteAdapter) || adapter.connection.isBusy) return (await query.execute(db)).rows;
  const { sql, parameters } = query.compile(db);
  return adapter.connection.readAsStored(sql, parameters) as Row[];
}

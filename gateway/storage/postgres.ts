import { PostgresDialect } from 'kysely';

/** The connections of a pool at this moment. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

const int8 = 20;

/**
 * Creates a pool that reads 64-bit integers exactly. The error handlers keep a restart of the server from ending this process:
 * for a client that is checked out, `pg` also emits the error on the client, which `pool.on('error')` doesn't catch.
 */
export async function postgresDialect(url: string, log: (entry: Record<string, unknown>) => void) {
  const { default: pg } = await import('pg');
  const report = (error: Error) => log({ event: 'database_connection_lost', message: error.message });
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 10_000,
    // PostgreSQL overestimates some queries and compiles them: a lookup of 60 keys took 50 ms instead of 0.3 ms.
    onConnect: (client) => client.query('SET jit = off'),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  const use = (): PoolUse => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  return { dialect: new PostgresDialect({ pool }), use };
}

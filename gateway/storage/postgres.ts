import { PostgresDialect } from 'kysely';

/** Connections of a pool at this moment. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

const int8 = 20;

/**
 * A pool whose 64-bit integers are exact. The handlers keep a restart of the server from ending this process: `pg` emits
 * on the client too when it is checked out, where `pool.on('error')` does not hear it.
 */
export async function postgresDialect(url: string, log: (entry: Record<string, unknown>) => void) {
  const { default: pg } = await import('pg');
  const report = (error: Error) => log({ event: 'database_connection_lost', message: error.message });
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 10_000,
    // By its guess the server took a look at 60 keys for a long report and compiled it: 50 ms for what takes 0.3.
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

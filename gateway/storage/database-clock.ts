import { sql } from 'kysely';
import type { GatewayDb } from './open-database.ts';

/** Smaller differences are the network's, not the clock's. */
const toleranceMs = 50;
const samples = 3;

export interface DatabaseClock {
  /** Milliseconds since the epoch, a whole number, as the database counts them. */
  now(): number;
  /** Asks the database again: clocks drift, and either may have been set. */
  sync(): Promise<void>;
}

/**
 * The database's clock, without asking it for the time on every use: leases, quotas and expiries are then the same moment
 * for every instance, however wrong the clocks of their machines are. Between two questions this process's monotonic
 * clock counts on, which nobody can set.
 */
export async function openDatabaseClock(db: GatewayDb): Promise<DatabaseClock> {
  let offset = await bestOffset(db);
  return {
    now: () => Math.floor(performance.now() + offset),
    async sync() {
      const measured = await bestOffset(db);
      if (Math.abs(measured - offset) > toleranceMs) offset = measured;
    },
  };
}

/** What to add to the monotonic clock, from the answer that came back fastest. */
async function bestOffset(db: GatewayDb): Promise<number> {
  let best = { offset: 0, took: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < samples; sample += 1) {
    const asked = performance.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
    const took = performance.now() - asked;
    if (took < best.took) best = { offset: (rows[0]?.now ?? Number.NaN) - asked - took / 2, took };
  }
  return best.offset;
}

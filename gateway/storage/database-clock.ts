import { sql } from 'kysely';
import type { GatewayDb } from './open-database.ts';

/** A smaller difference is network delay and not a wrong clock. */
const toleranceMs = 50;
const samples = 3;

export interface DatabaseClock {
  /** The database's time in full milliseconds since the epoch. */
  now(): number;
  /** Measures the offset again: clocks drift, and either may have been set. */
  sync(): Promise<void>;
}

/**
 * The database's clock, without a query on every use. Leases, quotas and expiry times are then the same moment for every
 * instance, however wrong the clocks of their machines are. Between two measurements the process's monotonic clock counts on,
 * which nobody can set.
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

/** Returns the offset to the monotonic clock, from the fastest of several queries. */
async function bestOffset(db: GatewayDb): Promise<number> {
  let best = { offset: 0, took: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < samples; sample += 1) {
    const sentAt = performance.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
    const took = performance.now() - sentAt;
    if (took < best.took) best = { offset: (rows[0]?.now ?? Number.NaN) - sentAt - took / 2, took };
  }
  return best.offset;
}

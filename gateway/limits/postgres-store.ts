import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { BooksDb } from '../db/open.ts';
import type { Leave, LimitStore, Refusal } from './limit-store.ts';
import { createRefused } from './refused.ts';

/** How long a running request is believed without a sign of life from its instance. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;
const forgottenAfterMs = 60_000;

export interface PostgresStoreDeps {
  readonly db: BooksDb;
  readonly instanceId: string;
  /** Milliseconds since the epoch in place of the database's clock; null: the database's, which is the same for all. */
  readonly clock: (() => number) | null;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface SharedLimitStore extends LimitStore {
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
  close(): void;
}

interface Taken {
  readonly admitted: boolean;
  readonly used: bigint;
  readonly reset_ms: bigint;
  readonly wait_ms: bigint;
  readonly bucket: bigint;
}

/** The limits of all instances on one database, by the database's clock (docs/decisions/009). One statement per step. */
export function createPostgresStore({ db, instanceId, clock, log }: PostgresStoreDeps): SharedLimitStore {
  const refused = createRefused(clock ?? (() => performance.now()));
  const given = () => clock?.() ?? null;
  const moment = () => sql<bigint>`coalesce(${given()}::bigint, portico_now())`;
  const leaseEnd = () => sql<bigint>`${moment()} + ${leaseMs}::bigint`;
  const places = new Map<string, string>();
  const failed = (event: string) => (error: unknown) => log({ event, level: 'error', cause: String(error) });

  async function ask(key: string, limit: number, cost: number): Promise<Taken> {
    const { rows } = await sql<Taken>`select * from portico_take(${key}, ${limit}, ${cost}, ${given()})`.execute(db);
    if (!rows[0]) throw new Error('portico_take answered nothing');
    return rows[0];
  }

  async function correct(key: string, bucket: bigint, difference: number): Promise<void> {
    if (difference === 0) return;
    await db
      .updateTable('limit_uses')
      .set({ cost: sql<bigint>`greatest(0, cost + ${difference}::bigint)` })
      .where('key', '=', key)
      .where('bucket', '=', bucket)
      .execute();
  }

  /** Also puts back what a crash of the database emptied. */
  async function renew(): Promise<void> {
    if (places.size === 0) return;
    await db
      .insertInto('limit_places')
      .values([...places].map(([id, key]) => ({ id, key, instance_id: instanceId, lease_until: leaseEnd() })))
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ lease_until: leaseEnd() }))
      .execute();
  }

  const renewal = setInterval(() => void renew().catch(failed('limit_renewal_failed')), renewEveryMs);
  renewal.unref();

  function leaveOf(id: string): Leave {
    let left: Promise<void> | null = null;
    const leave = async () => {
      places.delete(id);
      await db.deleteFrom('limit_places').where('id', '=', id).execute();
    };
    // A place that could not be given back ends with its lease.
    return () => {
      left ??= leave().catch(failed('limit_place_kept'));
      return left;
    };
  }

  return {
    async take(key, limit, cost) {
      const known = refused.find(key, limit, cost);
      if (known) return known;
      const taken = await ask(key, limit, cost);
      const state = {
        limit,
        remaining: Math.max(0, limit - Number(taken.used)),
        resetMs: Number(taken.reset_ms),
      };
      if (!taken.admitted) {
        const refusal: Refusal = { ...state, admitted: false, retryAfterMs: Number(taken.wait_ms) };
        refused.add(key, limit, cost, refusal);
        return refusal;
      }
      let counted = cost;
      return {
        ...state,
        admitted: true,
        async settle(actual) {
          const difference = actual - counted;
          counted = actual;
          // The answer is there already: a reservation that stays as it was is forgotten within the minute.
          await correct(key, taken.bucket, difference).catch(failed('limit_not_corrected'));
        },
      };
    },

    async enter(key, limit) {
      const id = randomUUID();
      const { rows } = await sql<{ entered: boolean }>`
        select portico_enter(${id}, ${key}, ${limit}, ${instanceId}, ${leaseMs}, ${given()}) as entered`.execute(db);
      if (!rows[0]?.entered) return null;
      places.set(id, key);
      return leaveOf(id);
    },

    async sweep() {
      await db
        .deleteFrom('limit_uses')
        .where('at', '<', sql<bigint>`${moment()} - ${forgottenAfterMs}::bigint`)
        .execute();
      await db.deleteFrom('limit_places').where('lease_until', '<', moment()).execute();
    },

    close: () => clearInterval(renewal),
  };
}

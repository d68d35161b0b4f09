import { sql } from 'kysely';
import type { LimitStore } from '../../access/limits/limit-store.ts';
import { createMemoryStore } from '../../access/limits/memory-store.ts';
import { createPostgresStore } from '../../access/limits/postgres-store.ts';
import type { Avoidance, Health } from '../../engine/routing/health.ts';
import type { GatewayDb, OpenDatabase } from '../../storage/open-database.ts';
import { type ClusterSignal, openClusterSignal } from './cluster-signal.ts';

interface SharedHealth {
  /** Shares an avoidance with the other instances. Nobody waits for it: if it gets lost, they only waste a few attempts. */
  share(id: string, avoidance: Avoidance): void;
  /** Adopts what other instances have shared since the last call. */
  read(health: Health): Promise<void>;
  /** Waits for writes that are under way. */
  settled(): Promise<void>;
}

interface SharedHealthDeps {
  readonly db: GatewayDb;
  readonly instanceId: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Shares which models the instances on one database avoid, in a small table (wire contract §5.3.7). */
function createSharedHealth({ db, instanceId, log }: SharedHealthDeps): SharedHealth {
  const seen = new Map<string, bigint>();
  let writing: Promise<void> = Promise.resolve();

  async function write(model: string, { openMs, openForMs, coolingForMs }: Avoidance): Promise<void> {
    const values = {
      instance_id: instanceId,
      changed: sql<bigint>`nextval(pg_get_serial_sequence('model_health', 'changed'))`,
      open_ms: BigInt(Math.round(openMs)),
      open_until: after(openForMs),
      cooling_until: after(coolingForMs),
    };
    await db
      .insertInto('model_health')
      .values({ model, ...values })
      .onConflict((conflict) => conflict.column('model').doUpdateSet(values))
      .execute();
  }

  return {
    share(id, avoidance) {
      writing = writing
        .then(() => write(id, avoidance))
        .catch((error: unknown) => log({ event: 'health_not_shared', level: 'warn', cause: String(error) }));
    },
    async read(health) {
      const rows = await db
        .selectFrom('model_health')
        .select(['model', 'instance_id', 'changed', 'open_ms', 'open_until', 'cooling_until'])
        .select(sql<bigint>`portico_now()`.as('now'))
        .execute();
      for (const row of rows) {
        if (seen.get(row.model) === row.changed) continue;
        seen.set(row.model, row.changed);
        if (row.instance_id === instanceId) continue;
        health.adopt(row.model, {
          openMs: Number(row.open_ms),
          openForMs: Math.max(0, Number(row.open_until - row.now)),
          coolingForMs: Math.max(0, Number(row.cooling_until - row.now)),
        });
      }
    },
    settled: () => writing,
  };
}

/** Returns a moment in the future by the database's clock. */
const after = (milliseconds: number) => sql<bigint>`portico_now() + ${Math.round(milliseconds)}::bigint`;

/** How often the health of models is read without a notification: the fallback of wire contract §5.3.7. */
const readEveryMs = 2000;

interface Listeners {
  /** Drops every cached credential. */
  readonly forget: () => void;
  readonly health: Health;
}

/** What instances on the same database share besides the ledger. */
export interface Cluster {
  readonly limits: LimitStore;
  /** Informs the others that a model is to be avoided, or no longer. */
  share(id: string, avoidance: Avoidance): void;
  /** From here on, receives what the others change. */
  join(listeners: Listeners): Promise<void>;
  /** Whether changes are received at this moment. Null when there are no other instances. */
  readonly listening: boolean | null;
  /** Deletes rows that no longer count. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** A single process has nobody to share with. */
export const aloneCluster = (now: () => number): Cluster => ({
  limits: createMemoryStore(now),
  share: () => {},
  join: async () => {},
  listening: null,
  sweep: async () => {},
  close: async () => {},
});

export interface ClusterDeps {
  readonly gatewayDb: Pick<OpenDatabase, 'db'>;
  readonly url: string;
  readonly instanceId: string;
  /** Replaces the database's clock. Null: that clock is used. */
  readonly clock: (() => number) | null;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Several instances on one PostgreSQL database (docs/decisions/009). */
export function postgresCluster({ gatewayDb, url, instanceId, clock, log }: ClusterDeps): Cluster {
  const { db } = gatewayDb;
  const limits = createPostgresStore({ db, instanceId, clock, log });
  const shared = createSharedHealth({ db, instanceId, log });
  let clusterSignal: ClusterSignal | null = null;
  let reading: NodeJS.Timeout | undefined;

  return {
    limits,
    share: shared.share,
    async join({ forget, health }) {
      const readHealth = () =>
        void shared
          .read(health)
          .catch((error: unknown) => log({ event: 'health_not_read', level: 'warn', cause: String(error) }));
      const notify = (table: string | null) => {
        if (table !== 'model_health') forget();
        if (table === 'model_health' || table === null) readHealth();
      };
      clusterSignal = await openClusterSignal(url, notify, log);
      reading = setInterval(readHealth, readEveryMs);
      reading.unref();
    },
    get listening() {
      return clusterSignal?.listening ?? false;
    },
    sweep: limits.sweep,
    async close() {
      clearInterval(reading);
      await limits.close();
      await clusterSignal?.close();
      await shared.settled();
    },
  };
}

import { sql } from 'kysely';
import type { LimitStore } from '../../access/limits/limit-store.ts';
import { createMemoryStore } from '../../access/limits/memory-store.ts';
import { createPostgresStore } from '../../access/limits/postgres-store.ts';
import type { Avoidance, Health } from '../../engine/routing/health.ts';
import type { GatewayDb, OpenDatabase } from '../../storage/open-database.ts';
import { type ClusterSignal, openClusterSignal } from './cluster-signal.ts';

interface SharedHealth {
  /** Tells the other instances. Advice: nobody waits for it, and losing it costs them a few attempts. */
  tell(id: string, avoidance: Avoidance): void;
  /** Believes what others said since the last time. */
  read(health: Health): Promise<void>;
  /** Waits for what was being told. */
  settled(): Promise<void>;
}

interface SharedHealthDeps {
  readonly db: GatewayDb;
  readonly instanceId: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Which models the instances on one database avoid, in a small table of it (wire contract §5.3.7). */
function createSharedHealth({ db, instanceId, log }: SharedHealthDeps): SharedHealth {
  const seen = new Map<string, bigint>();
  let telling: Promise<void> = Promise.resolve();

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
    tell(id, avoidance) {
      telling = telling
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
    settled: () => telling,
  };
}

/** A moment by the database's clock. */
const after = (milliseconds: number) => sql<bigint>`portico_now() + ${Math.round(milliseconds)}::bigint`;

/** How often the health of models is read where no notification said to: the backstop of wire contract §5.3.7. */
const readEveryMs = 2000;

interface Listeners {
  /** Drops every cached credential. */
  readonly forget: () => void;
  readonly health: Health;
}

/** What instances on the same books have in common besides them. */
export interface Cluster {
  readonly limits: LimitStore;
  /** Tells the others that a model is to be avoided, or no longer. */
  tell(id: string, avoidance: Avoidance): void;
  /** From here on hears what the others change. */
  join(listeners: Listeners): Promise<void>;
  /** Whether changes are heard at this moment; null where there is nobody to hear. */
  readonly listening: boolean | null;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** One process alone: it knows everything already. */
export const aloneCluster = (now: () => number): Cluster => ({
  limits: createMemoryStore(now),
  tell: () => {},
  join: async () => {},
  listening: null,
  sweep: async () => {},
  close: async () => {},
});

export interface ClusterDeps {
  readonly gatewayDb: Pick<OpenDatabase, 'db'>;
  readonly url: string;
  readonly instanceId: string;
  /** In place of the database's clock; null: that. */
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
    tell: shared.tell,
    async join({ forget, health }) {
      const readHealth = () =>
        void shared
          .read(health)
          .catch((error: unknown) => log({ event: 'health_not_read', level: 'warn', cause: String(error) }));
      const ring = (table: string | null) => {
        if (table !== 'model_health') forget();
        if (table === 'model_health' || table === null) readHealth();
      };
      clusterSignal = await openClusterSignal(url, ring, log);
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

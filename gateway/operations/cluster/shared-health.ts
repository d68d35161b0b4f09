import { sql } from 'kysely';
import type { Avoidance, Health } from '../../engine/routing/health.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

export interface SharedHealth {
  /** Tells the other instances. Advice: nobody waits for it, and losing it costs them a few attempts. */
  tell(id: string, avoidance: Avoidance): void;
  /** Believes what others said since the last time. */
  read(health: Health): Promise<void>;
  /** Waits for what was being told. */
  settled(): Promise<void>;
}

export interface SharedHealthDeps {
  readonly db: GatewayDb;
  readonly instanceId: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Which models the instances on one database avoid, in a small table of it (wire contract §5.3.7). */
export function createSharedHealth({ db, instanceId, log }: SharedHealthDeps): SharedHealth {
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

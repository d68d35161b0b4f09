import { Hono } from 'hono';
import { sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import type { AppEnv } from '../../http/context.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

export interface MetaDeps {
  readonly db: GatewayDb;
  readonly version: string;
  /** True once the gateway is shutting down or about to. Load balancers should then use another instance. */
  readonly isRetiring: () => boolean;
  /** Provider id → the problem with the gateway's account there. */
  readonly troubles: () => Readonly<Record<string, string>>;
}

const databaseMs = 2000;

async function reachable(db: GatewayDb): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${databaseMs} ms`)), databaseMs);
  });
  try {
    await Promise.race([sql`select 1`.execute(db), late]);
  } catch (cause) {
    throw new AppError('server_overloaded', 'The gateway cannot reach its database.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Serves what anyone may know: the extensions of the API (wire contract §10), and whether the process is alive and
 * accepts requests.
 */
export function metaRoutes({ db, version, isRetiring, troubles }: MetaDeps): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1', (context) =>
      context.json({ object: 'gateway', version, extensions: ['quote', 'requests', 'keys', 'prices'] }),
    )
    .get('/healthz', (context) => context.json({ status: 'ok' }))
    .get('/readyz', async (context) => {
      if (isRetiring()) throw new AppError('shutting_down', 'The gateway is shutting down.');
      await reachable(db);
      return context.json({ status: 'ready', ...attention(troubles()) });
    });
}

/** A provider that needs its operator's attention is no reason to take the gateway out of service. */
const attention = (troubles: Readonly<Record<string, string>>) =>
  Object.keys(troubles).length === 0 ? {} : { providers: troubles };

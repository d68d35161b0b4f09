import { Hono } from 'hono';
import { sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import type { BooksDb } from '../db/open.ts';
import type { AppEnv } from './context.ts';

export interface MetaDeps {
  readonly db: BooksDb;
  readonly version: string;
  readonly draining: () => boolean;
}

/** What anyone may know: which extensions there are (wire contract §10), and whether the process lives and serves. */
export function metaRoutes({ db, version, draining }: MetaDeps): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1', (context) => context.json({ object: 'gateway', version, extensions: ['quote', 'requests', 'keys'] }))
    .get('/healthz', (context) => context.json({ status: 'ok' }))
    .get('/readyz', async (context) => {
      if (draining()) throw new AppError('shutting_down', 'The gateway is shutting down.');
      await sql`select 1`.execute(db);
      return context.json({ status: 'ready' });
    });
}

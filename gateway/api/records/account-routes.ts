import { Hono } from 'hono';
import type { AppEnv } from '../../http/context.ts';
import { readAccount, readVerification } from '../../ledger/records/account-store.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

/** Serves `GET /account` and `POST /v1/auth/verify` (wire contract §2.2, §2.5). */
export function accountRoutes({ db, now }: { readonly db: GatewayDb; readonly now: () => number }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/account', async (context) => context.json(await readAccount(db, context.get('principal'), now())))
    .post('/v1/auth/verify', async (context) =>
      context.json(await readVerification(db, context.get('principal'), now())),
    );
}

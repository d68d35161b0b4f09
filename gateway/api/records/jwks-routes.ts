import { Hono } from 'hono';
import { publishedKeys, toJwk } from '../../access/auth/signing-keys.ts';
import type { AppEnv } from '../../http/context.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

/** The keys tokens are signed with, the next one included (wire contract §4.6, RFC 7517). None before the first token. */
export function jwksRoutes({ db, now }: { readonly db: GatewayDb; readonly now: () => number }): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/.well-known/jwks.json', async (context) => {
    const keys = (await publishedKeys(db, now())).map(toJwk);
    return context.json({ keys }, 200, { 'cache-control': 'public, max-age=600' });
  });
}

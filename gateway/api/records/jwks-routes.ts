import { Hono } from 'hono';
import { publishedKeys, toJwk } from '../../access/auth/signing-keys.ts';
import type { AppEnv } from '../../http/context.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

/**
 * Serves the public keys of the keys that sign tokens, including the next one (wire contract §4.6, RFC 7517). There are
 * none before the first token.
 */
export function jwksRoutes({ db, now }: { readonly db: GatewayDb; readonly now: () => number }): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/.well-known/jwks.json', async (context) => {
    const keys = (await publishedKeys(db, now())).map(toJwk);
    return context.json({ keys }, 200, { 'cache-control': 'public, max-age=600' });
  });
}

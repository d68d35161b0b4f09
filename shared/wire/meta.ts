import { z } from 'zod';

/** `GET /v1`: which extensions of the interface the gateway offers (wire contract §10). */
export const gatewayInfo = z
  .looseObject({ object: z.literal('gateway'), version: z.string(), extensions: z.array(z.string()) })
  .meta({ id: 'Gateway' });

/** `GET /healthz` and `GET /readyz`. */
export const liveness = z.looseObject({ status: z.enum(['ok', 'ready']) }).meta({ id: 'Liveness' });

/** `GET /.well-known/jwks.json` (RFC 7517): the public keys that verify tokens. */
export const jsonWebKeySet = z
  .looseObject({
    keys: z.array(
      z.looseObject({
        kty: z.literal('RSA'),
        use: z.literal('sig'),
        alg: z.literal('RS256'),
        kid: z.string(),
        n: z.string(),
        e: z.string(),
      }),
    ),
  })
  .meta({ id: 'JsonWebKeySet' });

import { z } from 'zod';

/** The longest lifetime of a token (wire contract §4.6). */
export const maxLifetimeS = 24 * 3600;
/** How much clocks may differ. */
export const clockSkewS = 30;

/** Exactly what our issuer writes: no `crit`, and neither a key nor the address of one inside the token (RFC 8725 §3). */
export const tokenHeader = z.strictObject({
  alg: z.literal('RS256'),
  typ: z.literal('JWT'),
  kid: z.string().min(1).max(128).optional(),
});

const seconds = z.int().positive();

/** The claims of §4.6. Others are ignored. Times must be integers: a float or a huge number isn't a valid time. */
export const tokenClaims = z.object({
  sub: z.string().min(1).max(64),
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string()).min(1).max(100)]),
  exp: seconds,
  iat: seconds,
  nbf: seconds.optional(),
  jti: z.string().min(1).max(128).optional(),
  scope: z.array(z.string()).max(100),
});

export type TokenClaims = z.infer<typeof tokenClaims>;

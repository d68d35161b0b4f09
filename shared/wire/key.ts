import { z } from 'zod';
import { scope } from './account.ts';
import { lastSecond, listOf, unixSeconds, usdAmount } from './scalars.ts';

/** One API key of the account (wire contract §10), without the secret. A key whose creator has ended has ended too. */
export const apiKey = z
  .looseObject({
    id: z.string(),
    object: z.literal('api_key'),
    label: z.string().nullable(),
    /** The first characters of the key, to tell it apart from others. */
    prefix: z.string(),
    scopes: z.array(z.string()),
    status: z.enum(['active', 'expired', 'revoked']),
    created: unixSeconds,
    expires_at: unixSeconds.nullable(),
    revoked_at: unixSeconds.nullable(),
    last_used_at: unixSeconds.nullable(),
    /** The total that the key may spend. Null if only the account's balance limits it. */
    spend_limit_usd: usdAmount.nullable(),
    /** Spent by this key and by the keys created with it. */
    spent_usd: usdAmount,
    /** What its running requests may still cost. */
    held_usd: usdAmount,
    /** The key or user that created this key; when that ends, this key ends too. Null if the operator created it. */
    minted_by: z.string().nullish(),
  })
  .meta({ id: 'ApiKey' });

export const apiKeyList = listOf(apiKey).meta({ id: 'ApiKeyList' });

/** The answer to `POST /v1/keys`. No other answer ever contains the key. */
export const createdApiKey = apiKey.extend({ key: z.string() }).meta({ id: 'CreatedApiKey' });

/** Without U+0000, which PostgreSQL cannot store. */
const label = z
  .string()
  .trim()
  .max(100)
  .regex(/^[^\0]*$/);
const spendLimit = usdAmount.refine((text) => !text.startsWith('-'), 'must not be negative');
const end = unixSeconds.max(lastSecond, 'is too far away');

/**
 * Body of `POST /v1/keys`. An omitted limit or expiry is that of its creator; omitted scopes are `chat` and `models`.
 */
export const createKeyRequest = z
  .object({
    label: label.nullish(),
    scopes: z.array(scope).max(scope.options.length).nullish(),
    spend_limit_usd: spendLimit.nullish(),
    expires_at: end.nullish(),
  })
  .meta({ id: 'CreateKeyRequest' });

/** Body of `PATCH /v1/keys/{key_id}`. Null removes a limit or a label; omitted fields stay unchanged. */
export const changeKeyRequest = z
  .object({
    label: label.nullable().optional(),
    spend_limit_usd: spendLimit.nullable().optional(),
    expires_at: end.nullable().optional(),
    revoked: z.literal(true).optional(),
  })
  .meta({ id: 'ChangeKeyRequest' });

export type ApiKey = z.infer<typeof apiKey>;
export type CreatedApiKey = z.infer<typeof createdApiKey>;
export type CreateKeyRequest = z.infer<typeof createKeyRequest>;
export type ChangeKeyRequest = z.infer<typeof changeKeyRequest>;

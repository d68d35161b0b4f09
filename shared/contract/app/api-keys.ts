import { oc } from '@orpc/contract';
import { z } from 'zod';
import { scope } from '../../wire/account.ts';
import { usdAmount } from '../../wire/scalars.ts';
import { id, problemText, rule, timeMs, usdLimit } from '../common/fields.ts';

/**
 * The account that owns the keys: `main` or `sandbox` of the built-in gateway, or the id of a remote gateway's account.
 */
const account = z.string().min(1).max(64);
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]{1,100}$/u, rule('label'));

/** A valid API key as a list shows it. The secret itself is never included. */
export const apiKey = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string().nullable(),
  /** The first characters of the key, so that the user can recognise it. */
  prefix: z.string(),
  scopes: z.array(z.string()),
  createdAt: timeMs,
  lastUsedAt: timeMs.nullable(),
  /** Null if the key never expires. */
  expiresAt: timeMs.nullable(),
  spentUsd: usdAmount,
  /** The most that this key may ever spend. Null if only the account's balance limits it. */
  limitUsd: usdAmount.nullable(),
});

/** API keys with which other programs use an account. The key that this app itself uses isn't among them. */
export const apiKeysContract = {
  /**
   * `complete` is false if the account has more keys than were read. Throws `not_reported` if the gateway can't list
   * keys.
   */
  list: oc.input(z.object({ account })).output(z.object({ keys: z.array(apiKey), complete: z.boolean() })),
  /** Only the results of `create` and `rotate` contain the secret of a key. */
  create: oc
    .input(
      z.object({
        account,
        name,
        scopes: z.array(scope).min(1).max(scope.options.length),
        limitUsd: usdLimit,
        expiresAt: timeMs.nullable(),
      }),
    )
    .output(z.object({ key: z.string() })),
  /** Changes the key's name, spending limit or expiry. */
  change: oc.input(z.object({ account, id, name, limitUsd: usdLimit, expiresAt: timeMs.nullable() })).output(z.void()),
  /**
   * Replaces a key by a new one with the same name, scopes, expiry and remaining spending limit. The old key still
   * works for the given number of hours. `problem` explains why the old key could not be ended although the new one
   * exists.
   */
  rotate: oc
    .input(
      z.object({
        account,
        id,
        endsInHours: z
          .int()
          .min(0)
          .max(24 * 30),
      }),
    )
    .output(z.object({ key: z.string(), problem: problemText.nullable() })),
  /** Revokes the key at once, and every key that was created with it. */
  revoke: oc.input(z.object({ account, id })).output(z.void()),
};

export type ApiKeyEntry = z.infer<typeof apiKey>;

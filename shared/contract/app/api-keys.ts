import { oc } from '@orpc/contract';
import { z } from 'zod';
import { scope } from '../../wire/account.ts';
import { usdAmount } from '../../wire/scalars.ts';
import { id, problemText, rule, timeMs, usdLimit } from '../common/fields.ts';

/** Whose keys: `main` or `sandbox` of the built-in gateway, or the id of an account at another one. */
const account = z.string().min(1).max(64);
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]{1,100}$/u, rule('label'));

/** A key that works, without the key itself. */
export const apiKey = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string().nullable(),
  /** Its first characters. */
  prefix: z.string(),
  scopes: z.array(z.string()),
  createdAt: timeMs,
  lastUsedAt: timeMs.nullable(),
  /** Null: it has no end. */
  expiresAt: timeMs.nullable(),
  spentUsd: usdAmount,
  /** The most that it may ever spend; null: as much as its account. */
  limitUsd: usdAmount.nullable(),
});

/** API keys of an account for other programs, without the one that this app uses itself. */
export const apiKeysContract = {
  /** `complete: false`: there are more than were read. Throws `not_reported` where the gateway has no keys to tell. */
  list: oc.input(z.object({ account })).output(z.object({ keys: z.array(apiKey), complete: z.boolean() })),
  /** Its result and that of `rotate` are the only ones that hold a key. */
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
  /** Another name, limit or end. */
  change: oc.input(z.object({ account, id, name, limitUsd: usdLimit, expiresAt: timeMs.nullable() })).output(z.void()),
  /**
   * A new key in the place of one, with its name, scopes and end, and with what is left of its limit. The old one ends
   * after so many hours. `problem`: why it did not, although the new one is there.
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
  /** Ends it at once, and whatever it minted. */
  revoke: oc.input(z.object({ account, id })).output(z.void()),
};

export type ApiKeyEntry = z.infer<typeof apiKey>;

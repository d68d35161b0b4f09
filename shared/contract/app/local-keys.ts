import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { rule, timeMs, wallet } from '../common/fields.ts';

/** An active key of the built-in gateway, without the key itself. */
export const localKey = z.object({
  id: z.string(),
  name: z.string(),
  /** Its first characters. */
  prefix: z.string(),
  /** The wallet that pays for its requests. */
  wallet,
  createdAt: timeMs,
  spentUsd: usdAmount,
  /** Its spending limit; null: the wallet’s. */
  limitUsd: usdAmount.nullable(),
});

/** Keys for other programs that use the built-in gateway, without the app’s own two. */
export const localKeysContract = {
  list: oc.output(z.array(localKey)),
  /** The only result that contains the key. */
  create: oc
    .input(
      z.object({
        name: z.string().trim().min(1).max(100),
        wallet,
        limitUsd: usdAmount.regex(/^\d{1,9}(\.\d{1,9})?$/, rule('amount')).nullable(),
      }),
    )
    .output(z.object({ key: z.string() })),
  /** Revokes the key at once. */
  revoke: oc.input(z.object({ id: z.string().min(1).max(64) })).output(z.void()),
};

export type LocalKey = z.infer<typeof localKey>;

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { rule, timeMs, wallet } from '../common/fields.ts';

/** A key of the embedded gateway that still works. Never the key itself. */
export const localKey = z.object({
  id: z.string(),
  name: z.string(),
  /** Its first characters, to tell it from others. */
  prefix: z.string(),
  /** Which wallet its requests are paid from. */
  wallet,
  createdAt: timeMs,
  spentUsd: usdAmount,
  /** What it may ever spend; null: as much as the wallet. */
  limitUsd: usdAmount.nullable(),
});

/** Keys by which the user's other programs use the embedded gateway. The app's own two are not among them. */
export const localKeysContract = {
  list: oc.output(z.array(localKey)),
  /** The answer is the only one that ever holds the key. */
  create: oc
    .input(
      z.object({
        name: z.string().trim().min(1).max(100),
        wallet,
        limitUsd: usdAmount.regex(/^\d{1,9}(\.\d{1,9})?$/, rule('amount')).nullable(),
      }),
    )
    .output(z.object({ key: z.string() })),
  /** Requests with it are refused from now on. */
  revoke: oc.input(z.object({ id: z.string().min(1).max(64) })).output(z.void()),
};

export type LocalKey = z.infer<typeof localKey>;

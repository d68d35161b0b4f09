import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { usdLimit } from '../common/fields.ts';

export const capScope = z.enum(['message', 'conversation', 'day', 'month']);

/** Spending caps; null: none. Days and months are UTC, as in the ledger. Test credits do not count. */
export const caps = z.object({
  message: usdLimit,
  conversation: usdLimit,
  day: usdLimit,
  month: usdLimit,
  /** A month of single models, by their ids, such as `openai/gpt-5`. */
  models: z.record(z.string().min(1).max(200), usdAmount).default({}),
});

/** The state of one cap for a message: `near` from 80 %, `over` if it may be exceeded. */
export const capState = z.object({
  scope: z.enum([...capScope.options, 'model']),
  /** Whose month it caps, where it is a model’s. */
  model: z.string().nullable(),
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** Spent including this message’s upper bound and running answers. */
  afterUsd: usdAmount,
  state: z.enum(['near', 'over']),
});

/** How full a cap is. `near` from 80 %, `full` from 100 %. */
export const capMeter = z.object({
  scope: z.enum(['day', 'month', 'model']),
  model: z.string().nullable(),
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** Of the cap; may be above 1. */
  share: z.number().nonnegative(),
  state: z.enum(['free', 'near', 'full']),
});

/** A limit of all keys of the built-in gateway's account that was set by its command line; null: none. */
export const outsideLimit = z.object({
  scope: z.enum(['day', 'month', 'model']),
  /** Whose month it limits, where it is a model’s. */
  model: z.string().nullable(),
  limitUsd: usdAmount.nullable(),
});

export const capsNow = z.object({
  caps,
  meters: z.array(capMeter),
  spentUsd: z.object({ day: usdAmount, month: usdAmount }),
  /** Of the whole account, other programs included; false: its gateway does not tell, and it is what this app has spent. */
  whole: z.boolean(),
  /** What other programs are refused by instead of the caps. Null: another server has the books, and that is not known. */
  setOutside: z.array(outsideLimit).nullable(),
});

export const capsContract = {
  get: oc.output(capsNow),
  set: oc.input(caps).output(z.void()),
  /** Makes the caps limits of other programs again. */
  takeOver: oc.output(z.void()),
};

export type Caps = z.infer<typeof caps>;
export type CapScope = z.infer<typeof capScope>;
export type CapState = z.infer<typeof capState>;
export type CapMeter = z.infer<typeof capMeter>;
export type OutsideLimit = z.infer<typeof outsideLimit>;
export type CapsNow = z.infer<typeof capsNow>;

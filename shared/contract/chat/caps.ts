import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { usdLimit } from '../common/fields.ts';

export const capScope = z.enum(['message', 'conversation', 'day', 'month']);

/** Spending limits; null means no limit. Days and months are UTC, as in the ledger. Test credits don't count. */
export const caps = z.object({
  message: usdLimit,
  conversation: usdLimit,
  day: usdLimit,
  month: usdLimit,
  /** Monthly limits for single models, by model id such as `openai/gpt-5`. */
  models: z.record(z.string().min(1).max(200), usdAmount).default({}),
});

/** How a message affects a spending limit: `near` from 80 %, `over` if the message may exceed it. */
export const capState = z.object({
  scope: z.enum([...capScope.options, 'model']),
  /** The model whose month is limited, if the limit is for a model. */
  model: z.string().nullable(),
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** The spend including running answers and the upper bound of this message. */
  afterUsd: usdAmount,
  state: z.enum(['near', 'over']),
});

/** How much of a spending limit is used: `near` from 80 %, `full` from 100 %. */
export const capMeter = z.object({
  scope: z.enum(['day', 'month', 'model']),
  model: z.string().nullable(),
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** The used fraction of the limit; may exceed 1. */
  share: z.number().nonnegative(),
  state: z.enum(['free', 'near', 'full']),
});

/**
 * A limit for all keys of the built-in gateway's account that was set on its command line. `limitUsd` is null if there
 * is none.
 */
export const outsideLimit = z.object({
  scope: z.enum(['day', 'month', 'model']),
  /** The model whose month is limited, if the limit is for a model. */
  model: z.string().nullable(),
  limitUsd: usdAmount.nullable(),
});

export const capsNow = z.object({
  caps,
  meters: z.array(capMeter),
  spentUsd: z.object({ day: usdAmount, month: usdAmount }),
  /** Requests of unknown cost, which are in neither sum. */
  unknown: z.object({ day: z.int(), month: z.int() }),
  /**
   * `account` if the spend is that of the account, including other programs. Else only this app's spend is counted,
   * because the gateway doesn't report more (`app`) or doesn't answer (`silent`).
   */
  counts: z.enum(['account', 'app', 'silent']),
  /**
   * Limits that apply to other programs in place of the ones set here. Null if a remote gateway has the ledger, so that
   * they are unknown.
   */
  setOutside: z.array(outsideLimit).nullable(),
});

export const capsContract = {
  get: oc.output(capsNow),
  set: oc.input(caps).output(z.void()),
  /** Makes the spending limits apply to other programs again. */
  takeOver: oc.output(z.void()),
};

export type Caps = z.infer<typeof caps>;
export type CapScope = z.infer<typeof capScope>;
export type CapState = z.infer<typeof capState>;
export type CapMeter = z.infer<typeof capMeter>;
export type OutsideLimit = z.infer<typeof outsideLimit>;
export type CapsNow = z.infer<typeof capsNow>;

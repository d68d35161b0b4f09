import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { usdLimit } from '../common/fields.ts';

export const capScope = z.enum(['message', 'conversation', 'day', 'month']);

/** Spending caps; null: none. Days and months are UTC, as in the ledger. Test credits do not count. */
export const caps = z.object({ message: usdLimit, conversation: usdLimit, day: usdLimit, month: usdLimit });

/** The state of one cap for a message: `near` from 80 %, `over` if it may be exceeded. */
export const capState = z.object({
  scope: capScope,
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** Spent including this message’s upper bound and running answers. */
  afterUsd: usdAmount,
  state: z.enum(['near', 'over']),
});

export const capsContract = {
  get: oc.output(z.object({ caps, spentUsd: z.object({ day: usdAmount, month: usdAmount }) })),
  set: oc.input(caps).output(z.void()),
};

export type Caps = z.infer<typeof caps>;
export type CapScope = z.infer<typeof capScope>;
export type CapState = z.infer<typeof capState>;

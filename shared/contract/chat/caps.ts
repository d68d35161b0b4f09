import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { rule } from '../common/fields.ts';

export const capScope = z.enum(['message', 'conversation', 'day', 'month']);

const cap = usdAmount.regex(/^\d{1,9}(\.\d{1,9})?$/, rule('amount')).nullable();

/** The most that may be spent, null where there is no cap. Days and months are UTC, as in the ledger. Test credits are free. */
export const caps = z.object({ message: cap, conversation: cap, day: cap, month: cap });

/** How a message of this size stands to one cap: `near` from 80 %, `over` where it might exceed it. */
export const capState = z.object({
  scope: capScope,
  capUsd: usdAmount,
  spentUsd: usdAmount,
  /** Spent with this message at its dearest, and with what is being answered now. */
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

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { billKind } from '../common/bills.ts';
import { id, modelId, told } from '../common/fields.ts';
import { capState } from './caps.ts';
import { routePreview } from './routing.ts';

const tokens = z.int().nonnegative();

/** What the next message would cost and whether it fits. An interval, never one exact number: nobody knows the answer's length. */
export const quote = z.object({
  /** `gateway`: its own quote, whose upper end is what it would hold. `estimate`: from tokens and list price. */
  source: z.enum(['gateway', 'estimate']),
  /** Which model would answer. */
  modelName: z.string(),
  simulated: z.boolean(),
  byok: z.boolean(),
  promptTokens: z.object({ low: tokens, estimate: tokens, high: tokens }),
  /** How many of them are likely to be read from the provider's cache: what its last answer here says. */
  cachedTokens: tokens,
  completionTokens: z.object({ low: tokens, high: tokens }),
  /** Null where no price is known. */
  costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
  /** The upper end in its parts, and an answer as long as the usual one of this chat. */
  parts: z.array(z.object({ kind: billKind, tokens: tokens.nullable(), usd: usdAmount })),
  usual: z.object({ replies: z.int(), completionTokens: tokens, usd: usdAmount }).nullable(),
  /** A longer answer costs more than the upper end. */
  openEnded: z.boolean(),
  pricesAsOf: z.string().nullable(),
  /** What would refuse it: the gateway's limits, or a file that this model does not read. */
  obstacles: z.array(told.extend({ code: z.string() })),
  caps: z.array(capState),
  context: z.object({
    /** Null where the model does not say. */
    limitTokens: tokens.nullable(),
    usedTokens: tokens,
    /** Messages of the shown branch that are not sent with this one. */
    notSentIds: z.array(id),
    /** They would have to be left out, and the chat is set to stop instead. */
    overflows: z.boolean(),
    /** A summary is written first, so that they are left out of nothing: it is billed besides. */
    summarises: z.boolean().optional(),
  }),
});

const asked = z.object({
  conversationId: id.nullable(),
  text: z.string().max(2_000_000),
  attachments,
  model: modelId,
});

export const quotesContract = {
  /** Asks no model and holds nothing. */
  get: oc.input(asked).output(quote),
  /** What the router would choose now, and why; asks no model and holds nothing. */
  route: oc
    .input(
      asked.extend({
        /** In whose place it would stand: a message of the user's, with these words, or an answer, asked for again. */
        inPlaceOf: id.nullable().default(null),
      }),
    )
    .output(routePreview),
};

export type Quote = z.infer<typeof quote>;

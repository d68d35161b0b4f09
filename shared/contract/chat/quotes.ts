import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { billKind } from '../common/bills.ts';
import { id, modelId, told } from '../common/fields.ts';
import { capState } from './caps.ts';
import { routePreview } from './routing.ts';

const tokens = z.int().nonnegative();

/** The cost of the next message and whether it fits. A range, because the answer’s length is unknown. */
export const quote = z.object({
  /**
   * `gateway`: the gateway’s quote, whose upper bound is what it would hold. `estimate`: from tokens and list price.
   */
  source: z.enum(['gateway', 'estimate']),
  /** The model that would answer. */
  modelName: z.string(),
  simulated: z.boolean(),
  byok: z.boolean(),
  promptTokens: z.object({ low: tokens, estimate: tokens, high: tokens }),
  /** Tokens probably read from the provider’s cache, judging by its last answer here. */
  cachedTokens: tokens,
  completionTokens: z.object({ low: tokens, high: tokens }),
  /** Null: unknown price. */
  costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
  /** The parts of the upper bound, and the cost of an answer of usual length for this chat. */
  parts: z.array(z.object({ kind: billKind, tokens: tokens.nullable(), usd: usdAmount })),
  usual: z.object({ replies: z.int(), completionTokens: tokens, usd: usdAmount }).nullable(),
  /** A longer answer would exceed the upper bound. */
  openEnded: z.boolean(),
  pricesAsOf: z.string().nullable(),
  /** What would refuse it: limits of the gateway, or a file that the model cannot read. */
  obstacles: z.array(told.extend({ code: z.string() })),
  caps: z.array(capState),
  context: z.object({
    /** Null: unknown. */
    limitTokens: tokens.nullable(),
    usedTokens: tokens,
    /** Messages of the shown branch that are not sent. */
    notSentIds: z.array(id),
    /** Messages would have to be left out, but the chat is set to stop instead. */
    overflows: z.boolean(),
    /** A summary will be written first and billed separately, so nothing is left out. */
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
  /** Runs no model, holds no credits. */
  get: oc.input(asked).output(quote),
  /** The router’s current choice and its reason; runs no model, holds no credits. */
  route: oc
    .input(
      asked.extend({
        /** What it replaces: a message of the user with this text, or an answer that is asked for again. */
        inPlaceOf: id.nullable().default(null),
      }),
    )
    .output(routePreview),
};

export type Quote = z.infer<typeof quote>;

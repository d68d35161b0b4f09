import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { billKind } from '../common/bills.ts';
import { id, modelId, problemText } from '../common/fields.ts';
import { capState } from './caps.ts';
import { chatKey } from './drafts.ts';
import { routePreview } from './routing.ts';

const tokens = z.int().nonnegative();

const expectedCost = z.object({
  usd: usdAmount,
  completionTokens: tokens,
  /** The earlier answers that it rests on: of this chat, and of the model in other chats. */
  answers: z.object({ here: z.int(), elsewhere: z.int() }),
  /** How many of them would have cost this much for this question, give or take 30 %. */
  near: z.int(),
});

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
  /** The most searches of the web that the answer may make. */
  searches: z.int().nonnegative(),
  /** Null: unknown price. */
  costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
  /** The parts of the upper bound. */
  parts: z.array(z.object({ kind: billKind, tokens: tokens.nullable(), usd: usdAmount })),
  /** What it will probably cost, from the lengths of earlier answers; null where there are none, or no price. */
  expected: expectedCost.nullable(),
  /** A longer answer would exceed the upper bound. */
  openEnded: z.boolean(),
  pricesAsOf: z.string().nullable(),
  /** The person has entered these prices. */
  pricesEntered: z.boolean(),
  /** What would refuse it: limits of the gateway, or a file that the model cannot read. */
  obstacles: z.array(problemText.extend({ code: z.string() })),
  /** Where the credits don't cover the message: the longest answer that they do cover, in tokens. Null: none, or not known. */
  affordableTokens: tokens.nullable(),
  caps: z.array(capState),
  context: z.object({
    /** Null: unknown. */
    limitTokens: tokens.nullable(),
    usedTokens: tokens,
    /** Kept free for the answer. */
    reservedTokens: tokens,
    /** The most messages that a request may have, where these and not tokens are what is full; otherwise null. */
    maxMessages: z.int().nullable(),
    /** Messages of the shown branch that are not sent. */
    notSentIds: z.array(id),
    /** Messages would have to be left out, but the chat is set to stop instead. */
    overflows: z.boolean(),
    /** A summary will be written first and billed separately, so nothing is left out. */
    summarises: z.boolean().optional(),
  }),
  /** Names of the project’s files that the model cannot read. */
  leftOutFiles: z.array(z.string()),
});

/** USD per token with its sign. */
const perToken = z.string().regex(/^-?\d+(\.\d{1,12})?$/);

/** A model’s price against that of the model that gave an answer, and what the answer’s tokens would cost with it. */
export const otherPrice = z.object({
  model: modelId,
  /** Null: it is the same, or that of the answer is unknown. */
  more: z.object({ prompt: perToken, completion: perToken }).nullable(),
  /** Null: the answer’s tokens are unknown. */
  costUsd: usdAmount.nullable(),
  moreUsd: usdAmount.nullable(),
});

const asked = z.object({
  conversationId: id.nullable(),
  text: z.string().max(2_000_000),
  attachments,
  model: modelId,
  /** The folder that a new conversation begins in. */
  folderId: id.nullish(),
  /** The new chat of a window, whose options a new conversation takes. */
  newChat: chatKey.nullish(),
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
  /** All models with a price, compared with the one that gave this answer. */
  others: oc.input(z.object({ answerId: id })).output(z.array(otherPrice)),
};

export type OtherPrice = z.infer<typeof otherPrice>;
export type Quote = z.infer<typeof quote>;

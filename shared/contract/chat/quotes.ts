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
  /** How many earlier answers the estimate uses: those of this chat, and those of the model in other chats. */
  answers: z.object({ here: z.int(), elsewhere: z.int() }),
  /** How many of these answers would have cost about `usd` for this question, within 30 %. */
  near: z.int(),
});

/** The cost of the next message, and whether it fits. The cost is a range because the answer's length is unknown. */
export const quote = z.object({
  /**
   * `gateway`: the gateway's quote, whose upper bound is the amount that it would hold. `estimate`: computed from
   * tokens and list price.
   */
  source: z.enum(['gateway', 'estimate']),
  /** The display name of the model that would answer. */
  modelName: z.string(),
  simulated: z.boolean(),
  byok: z.boolean(),
  promptTokens: z.object({ low: tokens, estimate: tokens, high: tokens }),
  /** Tokens that the provider will probably read from its cache, judging by its last answer in this chat. */
  cachedTokens: tokens,
  completionTokens: z.object({ low: tokens, high: tokens }),
  /** The most web searches that the answer may make. */
  searches: z.int().nonnegative(),
  /** Null if the price is unknown. */
  costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
  /** The parts of the upper bound. */
  parts: z.array(z.object({ kind: billKind, tokens: tokens.nullable(), usd: usdAmount })),
  /** The probable cost, from the lengths of earlier answers. Null if there are none or the price is unknown. */
  expected: expectedCost.nullable(),
  /** The answer's length isn't limited, so its cost may exceed the upper bound. */
  openEnded: z.boolean(),
  pricesAsOf: z.string().nullable(),
  /** The user entered these prices. */
  pricesEntered: z.boolean(),
  /** Why the message would be refused: limits of the gateway, or a file that the model can't read. */
  obstacles: z.array(problemText.extend({ code: z.string() })),
  /** If the credits don't cover the message: the longest answer that they cover, in tokens. Null if none or unknown. */
  affordableTokens: tokens.nullable(),
  caps: z.array(capState),
  context: z.object({
    /** Null if unknown. */
    limitTokens: tokens.nullable(),
    usedTokens: tokens,
    /** Reserved for the answer. */
    reservedTokens: tokens,
    /** The largest number of messages in a request, if this limit is reached before that of tokens; otherwise null. */
    maxMessages: z.int().nullable(),
    /** Messages of the shown branch that aren't sent. */
    notSentIds: z.array(id),
    /** Messages would have to be left out, but the chat is set to stop instead. */
    overflows: z.boolean(),
    /** A summary is written and billed separately first, so nothing is left out. */
    summarises: z.boolean().optional(),
  }),
  /** Names of the project's files that the model can't read. */
  leftOutFiles: z.array(z.string()),
});

/** USD per token, with a sign. */
const perToken = z.string().regex(/^-?\d+(\.\d{1,12})?$/);

/**
 * A model's price compared with that of the model that gave an answer, and what the answer's tokens would cost with it.
 */
export const otherPrice = z.object({
  model: modelId,
  /** The price difference per token. Null if there is none or the answer's price is unknown. */
  more: z.object({ prompt: perToken, completion: perToken }).nullable(),
  /** Null if the answer's tokens are unknown. */
  costUsd: usdAmount.nullable(),
  moreUsd: usdAmount.nullable(),
});

const asked = z.object({
  conversationId: id.nullable(),
  text: z.string().max(2_000_000),
  attachments,
  model: modelId,
  /** The folder in which a new conversation begins. */
  folderId: id.nullish(),
  /** The window's new chat, whose options a new conversation takes over. */
  newChat: chatKey.nullish(),
});

export const quotesContract = {
  /** Runs no model and holds no credits. */
  get: oc.input(asked).output(quote),
  /** The router's choice for the message at this moment, with its reason. Runs no model and holds no credits. */
  route: oc
    .input(
      asked.extend({
        /**
         * The message that this one replaces: a user's message that was edited, or an answer that is requested again.
         */
        inPlaceOf: id.nullable().default(null),
      }),
    )
    .output(routePreview),
  /** All models with a price, compared with the model that gave this answer. */
  others: oc.input(z.object({ answerId: id })).output(z.array(otherPrice)),
};

export type OtherPrice = z.infer<typeof otherPrice>;
export type Quote = z.infer<typeof quote>;

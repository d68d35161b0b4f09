import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { id, modelId, rule } from '../common/fields.ts';
import { maxCompared } from '../common/limits.ts';
import { capState } from './caps.ts';
import { chatKey } from './drafts.ts';
import { quote } from './quotes.ts';

export const fewestCompared = 2;

const models = z
  .array(modelId)
  .min(fewestCompared)
  .max(maxCompared)
  .refine((ids) => new Set(ids).size === ids.length, {
    message: rule('twice'),
  });

const range = z.object({ low: usdAmount, high: usdAmount });

/** The quote of a comparison: the quote of each column, and their sum. */
export const comparisonQuote = z.object({
  columns: z.array(z.object({ model: modelId, quote })),
  /** The sum of the columns paid with money. Null if none has a known price. */
  costUsd: range.nullable(),
  /** The sum of the columns paid with test credits. */
  testCreditsUsd: range.nullable(),
  /**
   * What the columns will probably cost in sum, by money and by test credits. Null if any column has no such estimate.
   */
  expectedUsd: usdAmount.nullable(),
  expectedTestCreditsUsd: usdAmount.nullable(),
  /** Columns with an unknown price, which no sum includes. */
  unknown: z.int(),
  /** Spending limits that the sum of the upper bounds may exceed. */
  caps: z.array(capState),
});

/** One question to several models. The answers are siblings in the tree, marked as a comparison. */
export const comparisonsContract = {
  /**
   * Stores the user's message and a column for each model, then starts all answers. Spending limits are checked against
   * their sum. As with `chat.send`, the same `messageId` twice is one message.
   */
  begin: oc
    .input(
      z
        .object({
          messageId: id,
          conversationId: id.nullish(),
          text: z.string().max(2_000_000),
          attachments: attachments.default([]),
          /**
           * When absent, the comparison at the end of the branch continues in each of its columns with the same models.
           */
          models: models.optional(),
          overCaps: z.boolean().default(false),
          /** A conversation that this message begins is temporary. */
          temporary: z.boolean().default(false),
          /** The folder in which a new conversation begins. */
          folderId: id.nullish(),
          /** The window's new chat, whose options a new conversation takes over. */
          newChat: chatKey.nullish(),
        })
        .refine(({ models, conversationId }) => models !== undefined || conversationId != null, { path: ['models'] })
        .refine(({ text, attachments }) => /\S/.test(text) || attachments.length > 0, {
          path: ['text'],
          message: rule('words'),
        }),
    )
    .output(z.object({ conversationId: id, userMessageId: id, answerIds: z.array(id) })),
  /** Chooses a column: its branch is shown, and queued messages follow it. */
  choose: oc.input(z.object({ messageId: id })).output(z.void()),
  /** Shows all columns of the answer’s comparison again. */
  open: oc.input(z.object({ messageId: id })).output(z.void()),
  /**
   * Quotes a comparison without running a model or holding credits. Without `models`, it quotes all columns at the end
   * of the branch; the result is empty if the branch doesn't end in a comparison.
   */
  quote: oc
    .input(
      z.object({
        conversationId: id.nullable(),
        text: z.string().max(2_000_000),
        attachments,
        models: models.optional(),
        folderId: id.nullish(),
        newChat: chatKey.nullish(),
      }),
    )
    .output(comparisonQuote),
};

export type ComparisonQuote = z.infer<typeof comparisonQuote>;

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

/** The quote of a comparison: each column’s quote, and their sum. */
export const comparisonQuote = z.object({
  columns: z.array(z.object({ model: modelId, quote })),
  /** Sum of columns paid with money; null if none has a known price. */
  costUsd: range.nullable(),
  /** Sum of columns paid with test credits. */
  testCreditsUsd: range.nullable(),
  /** Sum of what the columns will probably cost, by the same two; null where that of a column is not known. */
  expectedUsd: usdAmount.nullable(),
  expectedTestCreditsUsd: usdAmount.nullable(),
  /** Columns with an unknown price, which are in no sum. */
  unknown: z.int(),
  /** Caps for the sum of the upper bounds. */
  caps: z.array(capState),
});

/** One question to several models. The answers are siblings in the tree, marked as a comparison. */
export const comparisonsContract = {
  /**
   * Stores the user’s message and a column for each model, then starts all answers. A cap counts their sum. As with
   * `chat.send`, the same `messageId` twice is one message.
   */
  begin: oc
    .input(
      z
        .object({
          messageId: id,
          conversationId: id.nullish(),
          text: z.string().max(2_000_000),
          attachments: attachments.default([]),
          /** Absent: the comparison that the branch ends in goes on in each of its columns, with the same models. */
          models: models.optional(),
          overCaps: z.boolean().default(false),
          /** A conversation that begins with it is not kept. */
          temporary: z.boolean().default(false),
          /** The folder that a new conversation begins in. */
          folderId: id.nullish(),
          /** The new chat of a window, whose options a new conversation takes. */
          newChat: chatKey.nullish(),
        })
        .refine(({ models, conversationId }) => models !== undefined || conversationId != null, { path: ['models'] })
        .refine(({ text, attachments }) => /\S/.test(text) || attachments.length > 0, {
          path: ['text'],
          message: rule('words'),
        }),
    )
    .output(z.object({ conversationId: id, userMessageId: id, answerIds: z.array(id) })),
  /** Chooses a column: its branch is shown, and queued messages are sent below it. */
  choose: oc.input(z.object({ messageId: id })).output(z.void()),
  /** Shows all columns of the answer’s comparison again. */
  open: oc.input(z.object({ messageId: id })).output(z.void()),
  /** Runs no model, holds no credits. Without `models`: to all columns that the branch ends in; none, where it does not. */
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

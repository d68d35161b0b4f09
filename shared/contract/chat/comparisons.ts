import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { id, modelId, rule } from '../common/fields.ts';
import { mostCompared } from '../common/limits.ts';
import { capState } from './caps.ts';
import { quote } from './quotes.ts';

export const fewestCompared = 2;

const models = z
  .array(modelId)
  .min(fewestCompared)
  .max(mostCompared)
  .refine((ids) => new Set(ids).size === ids.length, {
    message: rule('twice'),
  });

const range = z.object({ low: usdAmount, high: usdAmount });

/** What a question to several models would cost: each column's own quote, and their sum. */
export const comparisonQuote = z.object({
  columns: z.array(z.object({ model: modelId, quote })),
  /** Of the columns that are paid with money; null where there is none with a known price. */
  costUsd: range.nullable(),
  /** Of those that are paid in test credits. */
  testCreditsUsd: range.nullable(),
  /** Columns whose price nobody knows; they are in no sum. */
  unknown: z.int(),
  /** Caps, against the sum of the upper ends. */
  caps: z.array(capState),
});

/** One question to several models. Its answers are siblings in the tree, with a mark that they belong together. */
export const comparisonsContract = {
  /**
   * Stores the user's message and a column for each model, then starts all answers. Admitted together: a cap counts
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
          models,
          overCaps: z.boolean().default(false),
        })
        .refine(({ text, attachments }) => /\S/.test(text) || attachments.length > 0, {
          path: ['text'],
          message: rule('words'),
        }),
    )
    .output(z.object({ conversationId: id, userMessageId: id, answerIds: z.array(id) })),
  /** Goes on with one column: the branch through it is shown, and what waits in the queue goes out below it. */
  choose: oc.input(z.object({ messageId: id })).output(z.void()),
  /** Shows the comparison that an answer belongs to again, all columns at once. */
  open: oc.input(z.object({ messageId: id })).output(z.void()),
  /** Asks no model and holds nothing. */
  quote: oc
    .input(z.object({ conversationId: id.nullable(), text: z.string().max(2_000_000), attachments, models }))
    .output(comparisonQuote),
};

export type ComparisonQuote = z.infer<typeof comparisonQuote>;

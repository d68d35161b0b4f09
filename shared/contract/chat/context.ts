import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { bill } from '../common/bills.ts';
import { id, modelId, timeMs } from '../common/fields.ts';
import { costSource } from './conversations.ts';

/** A text that stands for the beginning of a conversation, written by a model and billed like an answer. */
export const summary = z.object({
  id,
  /** The last message it stands for. */
  throughId: id,
  messages: z.int(),
  text: z.string(),
  model: modelId,
  costUsd: usdAmount.nullable(),
  costSource,
  simulated: z.boolean(),
  bill: bill.nullable(),
  createdAt: timeMs,
});

export const contextContract = {
  /** The summary that the shown branch is sent with; null where it is sent as it is. */
  summary: oc.input(z.object({ conversationId: id })).output(summary.nullable()),
  /** What summarising would cost, and how many messages it would stand for; null where there is nothing to summarise. */
  quoteCompact: oc.input(z.object({ conversationId: id, model: modelId })).output(
    z
      .object({
        messages: z.int(),
        costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
        simulated: z.boolean(),
      })
      .nullable(),
  ),
  /** Summarises the older half of the shown branch and sends the summary in its place from now on. */
  compact: oc
    .input(z.object({ conversationId: id, model: modelId, overCaps: z.boolean().default(false) }))
    .output(summary),
  /** Sends the messages themselves again. */
  removeSummary: oc.input(z.object({ conversationId: id })).output(z.void()),
};

export type Summary = z.infer<typeof summary>;

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { bill } from '../common/bills.ts';
import { id, modelId, timeMs } from '../common/fields.ts';
import { costSource } from './conversations.ts';

/** A summary that replaces the beginning of a conversation. A model writes it, and it costs money like an answer. */
export const summary = z.object({
  id,
  /** The last message that it replaces. */
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
  /** The summary of the shown branch, or null. */
  summary: oc.input(z.object({ conversationId: id })).output(summary.nullable()),
  /** The cost of a summary, and how many messages it would replace; null if there is nothing to summarise. */
  quoteCompact: oc.input(z.object({ conversationId: id, model: modelId })).output(
    z
      .object({
        messages: z.int(),
        costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
        simulated: z.boolean(),
      })
      .nullable(),
  ),
  /** Summarises the older half of the shown branch, which is then replaced by the summary. */
  compact: oc
    .input(z.object({ conversationId: id, model: modelId, overCaps: z.boolean().default(false) }))
    .output(summary),
  /** Removes the summary, so that the messages are sent again. */
  removeSummary: oc.input(z.object({ conversationId: id })).output(z.void()),
};

export type Summary = z.infer<typeof summary>;

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId } from '../common/fields.ts';

/** A conversation's id, or `new` for the chat that has none yet. */
export const chatKey = id;

/** What is in a composer and not sent yet. */
export const draft = z.object({
  text: z.string().max(2_000_000),
  attachments,
  /** Chosen here, where it differs from what the conversation had. */
  model: modelId.nullable(),
  /** The models it is meant for, where they are to be compared. */
  compare: z.array(modelId).max(4).default([]),
});

export const draftsContract = {
  get: oc.input(z.object({ chat: chatKey })).output(draft),
  /** Replaces the draft; an empty one is forgotten. Answered once it is on disk. */
  put: oc.input(z.object({ chat: chatKey, draft })).output(z.void()),
};

export type Draft = z.infer<typeof draft>;

import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId, told } from '../common/fields.ts';

/** A message that waits for the running answer. Its id becomes the message's id, so that it is sent once. */
export const queuedMessage = z.object({
  id,
  conversationId: id,
  text: z.string().max(2_000_000),
  attachments,
  model: modelId,
  /** The models that shall all answer it, where they are to be compared. */
  compare: z.array(modelId).max(4).default([]),
  /** Why it was not sent when its turn came; the user sends it, changes it or removes it. */
  problem: told.nullable(),
});

const newMessage = queuedMessage.omit({ problem: true });

export const queueContract = {
  /** In the order in which they will be sent. */
  list: oc.input(z.object({ conversationId: id })).output(z.array(queuedMessage)),
  /** Sent at once where nothing runs and nothing waits. */
  add: oc.input(newMessage).output(z.void()),
  change: oc.input(z.object({ id, text: z.string().max(2_000_000) })).output(z.void()),
  remove: oc.input(z.object({ id })).output(z.void()),
  /** Goes on with a queue that a stop, a failure or a restart left waiting. */
  resume: oc.input(z.object({ conversationId: id })).output(z.void()),
};

export type QueuedMessage = z.infer<typeof queuedMessage>;
export type NewQueuedMessage = z.infer<typeof newMessage>;

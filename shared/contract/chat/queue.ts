import { oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { id, modelId, problemText } from '../common/fields.ts';

/** A message queued behind the running answer. It keeps its id when it is sent, which prevents sending it twice. */
export const queuedMessage = z.object({
  id,
  conversationId: id,
  text: z.string().max(2_000_000),
  attachments,
  model: modelId,
  /** The models of a comparison. */
  compare: z.array(modelId).max(4).default([]),
  /** Why sending failed. The user can then send, edit or remove the message. */
  problem: problemText.nullable(),
});

const newMessage = queuedMessage.omit({ problem: true });

export const queueContract = {
  /** In sending order. */
  list: oc.input(z.object({ conversationId: id })).output(z.array(queuedMessage)),
  /** Queues a message, or sends it at once if nothing runs or waits. */
  add: oc.input(newMessage).output(z.void()),
  change: oc.input(z.object({ id, text: z.string().max(2_000_000) })).output(z.void()),
  remove: oc.input(z.object({ id })).output(z.void()),
  /** Resumes a queue that waits after a stop, a failure or a restart. */
  resume: oc.input(z.object({ conversationId: id })).output(z.void()),
};

export type QueuedMessage = z.infer<typeof queuedMessage>;
export type NewQueuedMessage = z.infer<typeof newMessage>;

import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from './attachments.ts';
import { message } from './conversations.ts';
import { id, modelId } from './fields.ts';
import { routingAnswer } from './routing.ts';

/**
 * What a conversation does while it is watched. `text` and `reasoning` deltas carry the offset (UTF-16 units) at which
 * they begin, so a reader that missed one can tell.
 */
export const chatEvent = z.discriminatedUnion('type', [
  /** First event of every watch: the answers being written now, with what they hold so far. */
  z.object({ type: z.literal('snapshot'), answers: z.array(message) }),
  z.object({ type: z.literal('message-added'), message }),
  z.object({ type: z.literal('text-delta'), messageId: id, offset: z.int(), text: z.string() }),
  z.object({ type: z.literal('reasoning-delta'), messageId: id, offset: z.int(), text: z.string() }),
  /** The answer reached its terminal state, learnt what it cost, or one of its tool calls got further. */
  z.object({ type: z.literal('message-updated'), message }),
]);

/** The scope of a permission, or none. */
export const toolDecision = z.enum(['once', 'chat', 'always', 'deny']);

const started = z.object({ conversationId: id, userMessageId: id, answerId: id });

export const chatContract = {
  /**
   * Stores the user's message, then starts the answer and returns at once. `messageId` is made by the caller: sending
   * the same one twice is one message. Without `conversationId` a new conversation begins.
   */
  send: oc
    .input(
      z
        .object({
          messageId: id,
          conversationId: id.nullish(),
          text: z.string().max(2_000_000),
          attachments: attachments.default([]),
          model: modelId,
          /** Sends although a cap might be exceeded: the user said so for this message. */
          overCaps: z.boolean().default(false),
          /** Another wording of this message: the new one stands beside it, and what hangs on the old one stays. */
          editOf: id.nullish(),
        })
        .refine(({ text, attachments }) => /\S/.test(text) || attachments.length > 0, {
          path: ['text'],
          message: 'a message needs words or a file',
        }),
    )
    .output(started),
  /** A further answer to the same user message, beside the one named. */
  regenerate: oc
    .input(z.object({ answerId: id, model: modelId.nullish(), overCaps: z.boolean().default(false) }))
    .output(started),
  /** A further answer to a message of the user, or the first where there is none. */
  answer: oc.input(z.object({ questionId: id, model: modelId, overCaps: z.boolean().default(false) })).output(started),
  /** Goes on with an answer that was cut off: a message of its own below it, read with it as one text. */
  continue: oc.input(z.object({ answerId: id, overCaps: z.boolean().default(false) })).output(started),
  /** Stops an answer; what had arrived stays. No error if it has ended already. */
  stop: oc.input(z.object({ answerId: id })).output(z.void()),
  /**
   * What the user says to a tool call that waits: run it this once, from now on in this chat, or in every chat as long as
   * the server stays what it is; or not. Throws `not_found` where it does not wait any more.
   */
  decideTool: oc
    .input(z.object({ messageId: id, call: z.int().min(0).max(127), decision: toolDecision }))
    .output(z.void()),
  /** Why the router chose this answer's model: read from the gateway's record of the request. */
  routing: oc.input(z.object({ messageId: id })).output(routingAnswer),
  watch: oc.input(z.object({ conversationId: id })).output(eventIterator(chatEvent)),
};

export type ToolDecision = z.infer<typeof toolDecision>;
export type ChatEvent = z.infer<typeof chatEvent>;

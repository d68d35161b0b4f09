import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { conversationTotal } from '../common/bills.ts';
import { id, modelId, rule } from '../common/fields.ts';
import { mostAtOnce } from '../common/limits.ts';
import { conversation, message, place, stretch } from './conversations.ts';
import { routingAnswer } from './routing.ts';

/** Counts what a reader is given, from 1, but for words: one that is missing shows, and the reader asks for a snapshot. */
const seq = z.int().min(1);
const words = z.object({ messageId: id, offset: z.int(), text: z.string() });

/**
 * What a conversation is and does while it is watched. `text` and `reasoning` deltas carry the offset (UTF-16 units) at
 * which they begin, so a reader that missed one can tell.
 */
export const chatEvent = z.discriminatedUnion('type', [
  /**
   * First event of every watch, and again where a reader fell behind or asked for another place: all that it shows.
   * `answers` are those being written now, on whichever branch, with what they hold so far.
   */
  stretch.extend({
    type: z.literal('snapshot'),
    seq,
    readerId: id,
    conversation,
    place: place.nullable(),
    answers: z.array(message),
    total: conversationTotal,
  }),
  /** More of the branch, beside what the reader has: the stretch that begins or ends with `edgeId`. */
  stretch.extend({ type: z.literal('page'), seq, at: z.enum(['older', 'newer']), edgeId: id }),
  /** From the first of these messages on, the branch goes on as they do. */
  stretch.omit({ hasOlder: true }).extend({ type: z.literal('branch-shown'), seq }),
  z.object({ type: z.literal('message-added'), seq, message }),
  words.extend({ type: z.literal('text-delta') }),
  words.extend({ type: z.literal('reasoning-delta') }),
  /**
   * The answer reached its terminal state, with what it cost, or one of its tool calls got further, or a cost was learnt
   * later. `total`: what the conversation has cost with it, where that changed.
   */
  z.object({ type: z.literal('message-updated'), seq, message, total: conversationTotal.optional() }),
  z.object({ type: z.literal('conversation-updated'), seq, conversation, total: conversationTotal }),
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
          message: rule('words'),
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
  /**
   * The one truth about a thread: a snapshot of the end of the branch, or around the place that was kept, then each
   * change. Who fell behind is given a snapshot again.
   */
  watch: oc
    .input(
      z.object({
        conversationId: id,
        at: z.enum(['end', 'place']).default('end'),
        limit: z.int().min(1).max(mostAtOnce).default(60),
      }),
    )
    .output(eventIterator(chatEvent)),
  /**
   * Reads on in a watched thread; what is read comes in its stream, in order with all else. `older` and `newer` than the
   * message at that edge, the `end`, or around a `message`.
   */
  page: oc
    .input(
      z.discriminatedUnion('to', [
        z.object({ readerId: id, to: z.literal('end') }),
        z.object({ readerId: id, to: z.enum(['older', 'newer', 'message']), messageId: id }),
      ]),
    )
    .output(z.void()),
};

export type ToolDecision = z.infer<typeof toolDecision>;
export type ChatEvent = z.infer<typeof chatEvent>;
export type ThreadSnapshot = Extract<ChatEvent, { type: 'snapshot' }>;

import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { conversationTotal } from '../common/bills.ts';
import { id, modelId, rule } from '../common/fields.ts';
import { maxAtOnce } from '../common/limits.ts';
import { comparisonTotal, conversation, message, scrollPosition, threadPage } from './conversations.ts';
import { chatKey } from './drafts.ts';
import { routingAnswer } from './routing.ts';

/** Sequence number of a reader’s events from 1, except deltas: after a gap the reader asks for a snapshot. */
const seq = z.int().min(1);
const words = z.object({ messageId: id, offset: z.int(), text: z.string() });

/**
 * Events of a watched conversation. `text` and `reasoning` deltas carry their offset (UTF-16 units), so that a reader
 * notices a missing one.
 */
export const chatEvent = z.discriminatedUnion('type', [
  /**
   * First event of every stream, and again after an overflow or a jump: all that the reader shows. `answers` are the
   * running ones, on any branch, with their text so far.
   */
  threadPage.extend({
    type: z.literal('snapshot'),
    seq,
    readerId: id,
    conversation,
    scrollPosition: scrollPosition.nullable(),
    answers: z.array(message),
    total: conversationTotal,
  }),
  /** Another page of the branch, which begins or ends beside `edgeId`. */
  threadPage.extend({ type: z.literal('page'), seq, at: z.enum(['older', 'newer']), edgeId: id }),
  /** The branch from the first of these messages on is replaced by them. */
  threadPage.omit({ hasOlder: true }).extend({ type: z.literal('branch-shown'), seq }),
  z.object({ type: z.literal('message-added'), seq, message, comparisons: z.array(comparisonTotal).optional() }),
  words.extend({ type: z.literal('text-delta') }),
  words.extend({ type: z.literal('reasoning-delta') }),
  /**
   * An answer ended, with its cost; or one of its tool calls progressed, or its cost became known later. `total` and
   * `comparisons`: what its conversation and its comparison cost, if that changed.
   */
  z.object({
    type: z.literal('message-updated'),
    seq,
    message,
    total: conversationTotal.optional(),
    comparisons: z.array(comparisonTotal).optional(),
  }),
  z.object({ type: z.literal('conversation-updated'), seq, conversation, total: conversationTotal }),
]);

/** The scope of a permission, or none. */
export const toolDecision = z.enum(['once', 'chat', 'always', 'deny']);

const started = z.object({ conversationId: id, userMessageId: id, answerId: id });

export const chatContract = {
  /**
   * Stores the user’s message, starts the answer and returns at once. `messageId` is made by the caller: sending the
   * same one twice is one message. Without `conversationId` a new conversation begins.
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
          /** The user allowed to exceed caps for this message. */
          overCaps: z.boolean().default(false),
          /** An edit of this message: it is added beside it, and what follows the old one stays there. */
          editOf: id.nullish(),
          /** A conversation that begins with it is not kept. */
          temporary: z.boolean().default(false),
          /** The folder that a new conversation begins in. */
          folderId: id.nullish(),
          /** The new chat of a window, whose options a new conversation takes. */
          newChat: chatKey.nullish(),
        })
        .refine(({ text, attachments }) => /\S/.test(text) || attachments.length > 0, {
          path: ['text'],
          message: rule('words'),
        }),
    )
    .output(started),
  /** Another answer to the same user message. */
  regenerate: oc
    .input(z.object({ answerId: id, model: modelId.nullish(), overCaps: z.boolean().default(false) }))
    .output(started),
  /** Another answer to a message of the user, or its first. */
  answer: oc.input(z.object({ questionId: id, model: modelId, overCaps: z.boolean().default(false) })).output(started),
  /** Continues an answer that was cut off, by a message below it that is shown with it as one text. */
  continue: oc.input(z.object({ answerId: id, overCaps: z.boolean().default(false) })).output(started),
  /** Stops an answer and keeps what had arrived. No error if it has ended. */
  stop: oc.input(z.object({ answerId: id })).output(z.void()),
  /**
   * The user’s decision on a waiting tool call: allow once, in this chat, or in all chats as long as the server does
   * not change; or deny. Throws `not_found` if it does not wait any more.
   */
  decideTool: oc
    .input(z.object({ messageId: id, call: z.int().min(0).max(127), decision: toolDecision }))
    .output(z.void()),
  /** The router’s decision for this answer, from the gateway’s record of the request. */
  routing: oc.input(z.object({ messageId: id })).output(routingAnswer),
  /**
   * The stream of a thread: a snapshot of the end of the branch, or around the kept scroll position, then each change.
   * After an overflow a snapshot comes again.
   */
  watch: oc
    .input(
      z.object({
        conversationId: id,
        at: z.enum(['end', 'scroll_position']).default('end'),
        limit: z.int().min(1).max(maxAtOnce).default(60),
      }),
    )
    .output(eventIterator(chatEvent)),
  /**
   * Requests another page of a watched thread; it comes in the stream, in order. `older` or `newer` than the message at
   * that edge, the `end`, or around a `message`.
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

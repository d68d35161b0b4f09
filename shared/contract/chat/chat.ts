import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { attachments } from '../common/attachments.ts';
import { conversationTotal } from '../common/bills.ts';
import { id, modelId, rule } from '../common/fields.ts';
import { maxAtOnce } from '../common/limits.ts';
import { comparisonTotal, conversation, message, scrollPosition, threadPage } from './conversations.ts';
import { chatKey } from './drafts.ts';
import { routingAnswer } from './routing.ts';

/** Sequence number of a reader's events, from 1. Deltas have none. After a gap the reader asks for a snapshot. */
const seq = z.int().min(1);
const words = z.object({ messageId: id, offset: z.int(), text: z.string() });

/**
 * Events of a watched conversation. `text` and `reasoning` deltas carry their offset in UTF-16 units, which lets a
 * reader notice a missing delta.
 */
export const chatEvent = z.discriminatedUnion('type', [
  /**
   * The first event of every stream, sent again after an overflow or a jump: everything that the reader shows.
   * `answers` are the running answers on any branch, with their text so far.
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
  /** Another page of the branch. It begins or ends next to `edgeId`. */
  threadPage.extend({ type: z.literal('page'), seq, at: z.enum(['older', 'newer']), edgeId: id }),
  /** These messages replace the branch from the first of them on. */
  threadPage.omit({ hasOlder: true }).extend({ type: z.literal('branch-shown'), seq }),
  z.object({ type: z.literal('message-added'), seq, message, comparisons: z.array(comparisonTotal).optional() }),
  words.extend({ type: z.literal('text-delta') }),
  words.extend({ type: z.literal('reasoning-delta') }),
  /**
   * An answer ended, with its cost; or one of its tool calls made progress; or its cost became known later. `total` and
   * `comparisons` are set if the cost of its conversation or comparison changed.
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

/** How far the permission reaches, or that it is denied. */
export const toolDecision = z.enum(['once', 'chat', 'always', 'deny']);

const started = z.object({ conversationId: id, userMessageId: id, answerId: id });

export const chatContract = {
  /**
   * Stores the user's message, starts the answer and returns at once. The caller creates `messageId`: sending the same
   * id twice stores one message. Without `conversationId` a new conversation begins.
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
          /** The user allowed this message to exceed the spending limits. */
          overCaps: z.boolean().default(false),
          /**
           * The message is an edit of this one. It is added as a sibling, and the replies to the old one stay there.
           */
          editOf: id.nullish(),
          /** A conversation that this message begins is temporary. */
          temporary: z.boolean().default(false),
          /** The folder in which a new conversation begins. */
          folderId: id.nullish(),
          /** The window's new chat, whose options a new conversation takes over. */
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
  /** Continues an answer that was cut off. The continuation is a message below it, and both are shown as one text. */
  continue: oc.input(z.object({ answerId: id, overCaps: z.boolean().default(false) })).output(started),
  /** Stops an answer and keeps the text received so far. It's no error if the answer has already ended. */
  stop: oc.input(z.object({ answerId: id })).output(z.void()),
  /**
   * The user's decision on a waiting tool call: allow it once, in this chat, or in all chats until the server changes;
   * or deny it. Throws `not_found` if the call no longer waits.
   */
  decideTool: oc
    .input(z.object({ messageId: id, call: z.int().min(0).max(127), decision: toolDecision }))
    .output(z.void()),
  /** The router’s decision for this answer, from the gateway’s record of the request. */
  routing: oc.input(z.object({ messageId: id })).output(routingAnswer),
  /**
   * Streams a thread: first a snapshot of the end of the branch, or around the saved scroll position, then each change.
   * After an overflow a new snapshot is sent.
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
   * Requests another page of a watched thread, which arrives in the stream in order: `older` or `newer` than the
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

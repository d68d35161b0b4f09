import { z } from 'zod';
import { message } from './contract/conversations.ts';
import { id, modelId, timeMs } from './contract/fields.ts';

/**
 * Portico's own export: a conversation with every branch, cost and mark, so that importing it gives the same one. A reader
 * of version 1 refuses any other version instead of losing what it does not know.
 */
export const exportedMessage = message.omit({ conversationId: true, sibling: true }).extend({
  /** Which gateway and wallet it was sent to. */
  source: z.string().max(2200).nullable(),
});

export const exportedConversation = z.object({
  id,
  title: z.string().max(1000),
  model: modelId,
  createdAt: timeMs,
  updatedAt: timeMs,
  /** The last message of the branch that is shown. */
  activeLeaf: id.nullable(),
  folder: z.string().max(60).nullable(),
  tags: z.array(z.string().min(1).max(40)).max(50),
  pinned: z.boolean(),
  archivedAt: timeMs.nullable(),
  /** In order of arrival: a parent comes before its children. */
  messages: z.array(exportedMessage),
});

export const exportHead = z.object({
  format: z.literal('portico-chats'),
  version: z.literal(1),
  exportedAt: z.iso.datetime(),
});

export type ExportedMessage = z.infer<typeof exportedMessage>;
export type ExportedConversation = z.infer<typeof exportedConversation>;

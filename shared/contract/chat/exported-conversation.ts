import { z } from 'zod';
import { attachment } from '../common/attachments.ts';
import { id, modelId, problemText, timeMs } from '../common/fields.ts';
import { attachmentLimits } from '../common/limits.ts';
import { message, room } from './conversations.ts';

/**
 * Portico's export format: a conversation with all branches, costs and marks, which an import restores. Fields that
 * were added later have defaults, which keeps older exports readable.
 */
export const exportedMessage = message.omit({ conversationId: true, sibling: true }).extend({
  /** Identifies the gateway and the billing account. */
  source: z.string().max(2200).nullable(),
  attachments: message.shape.attachments.default([]),
  bill: message.shape.bill.default(null),
  // The earliest exports had a bare sentence here.
  room: room
    .extend({ why: z.union([problemText, z.string().transform((sentence) => ({ message: sentence }))]).nullable() })
    .nullish(),
  thoughtMs: message.shape.thoughtMs.default(null),
  continues: z.boolean().default(false),
  comparison: message.shape.comparison.default(null),
  comparing: message.shape.comparing.default(null),
});

export const exportedConversation = z.object({
  id,
  title: z.string().max(1000),
  model: modelId,
  createdAt: timeMs,
  updatedAt: timeMs,
  /** The last message of the shown branch. */
  activeLeaf: id.nullable(),
  folder: z.string().max(60).nullable(),
  tags: z.array(z.string().min(1).max(40)).max(50),
  pinned: z.boolean(),
  archivedAt: timeMs.nullable(),
  /** In order of arrival: parents before children. */
  messages: z.array(exportedMessage),
});

/** An attachment. It occurs once per export, before the first conversation that refers to it. */
export const exportedFile = z.object({
  /** The SHA-256 of the file's bytes, which is also its id in messages. */
  file: attachment.shape.id,
  name: attachment.shape.name,
  base64: z.string().max(Math.ceil(attachmentLimits.pdfBytes / 3) * 4 + 4),
});

/**
 * Version 1 has a list `conversations`; version 2 has a list `contents` of files and conversations. A reader refuses
 * any other version because it would lose what it doesn't know.
 */
export const exportHead = z.object({
  format: z.literal('portico-chats'),
  version: z.literal([1, 2]),
  exportedAt: z.iso.datetime(),
});

export type ExportedMessage = z.infer<typeof exportedMessage>;
export type ExportedConversation = z.infer<typeof exportedConversation>;
export type ExportedFile = z.infer<typeof exportedFile>;

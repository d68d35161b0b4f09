import { join } from 'node:path';
import { type Attachment, attachment } from '#shared/contract/common/attachments.ts';

/**
 * The path of an attachment below the folder of attachments, two levels deep: `ab/abcdef…`. Null if the id isn't a
 * SHA-256, which happens only in a manipulated database. No path is made from such an id, because it could lead outside
 * the folder.
 */
export const attachmentPath = (folder: string, id: string): string | null =>
  attachment.shape.id.safeParse(id).success ? join(folder, id.slice(0, 2), id) : null;

/** Parses a column's attachments. Entries that no version of the app could have written are dropped. */
export function storedAttachments(text: string): Attachment[] {
  const stored: unknown = JSON.parse(text);
  return Array.isArray(stored) ? stored.flatMap((item) => attachment.safeParse(item).data ?? []) : [];
}

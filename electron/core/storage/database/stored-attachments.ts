import { join } from 'node:path';
import { type Attachment, attachment } from '#shared/contract/common/attachments.ts';

/**
 * Where an attached file lies in a folder of such files, two levels deep: `ab/abcdef…`. Null for an id that is no SHA-256, which only a
 * database from elsewhere has: no path is made of it, so that nothing outside of the folder is read, written or removed.
 */
export const attachmentPath = (folder: string, id: string): string | null =>
  attachment.shape.id.safeParse(id).success ? join(folder, id.slice(0, 2), id) : null;

/** A column's attachments, without those that no version of the app wrote. */
export function storedAttachments(text: string): Attachment[] {
  const stored: unknown = JSON.parse(text);
  return Array.isArray(stored) ? stored.flatMap((item) => attachment.safeParse(item).data ?? []) : [];
}

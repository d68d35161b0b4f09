import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { ContentPart } from '#shared/wire/chat-request.ts';
import type { FilePart } from '../../request/history.ts';

type NamedFile = Pick<Attachment, 'kind' | 'name' | 'mediaType'>;

/**
 * Converts an attachment to a content part (wire contract §1.5). Text files are sent as text, which every model can
 * read.
 */
export function getPart({ kind, name, mediaType }: NamedFile, bytes: Buffer): ContentPart {
  if (kind === 'text') return { type: 'text', text: fenced(name, bytes.toString('utf8')) };
  const url = `data:${mediaType};base64,${bytes.toString('base64')}`;
  if (kind === 'image') return { type: 'image_url', image_url: { url, detail: undefined } };
  return { type: 'file', file: { filename: name, file_data: url, file_id: undefined } };
}

/** Estimates the part's tokens by the gateway's rule (wire contract §7). */
export function partTokens(file: NamedFile, bytes: Buffer): number {
  const count = (content: ContentPart[]) =>
    estimateInputTokens([{ role: 'user', content, name: undefined }], undefined);
  return count([getPart(file, bytes)]) - count([]);
}

/** Uses a fence longer than any in the text, so the text can't end it. */
function fenced(name: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${name}\n${fence}\n${text}\n${fence}`;
}

/** Reads the attachment from the data folder. Returns null if it is missing. */
export const attachmentPart =
  (getBytes: (id: string) => Promise<Buffer | null>) =>
  async (attachment: Attachment): Promise<FilePart | null> => {
    const bytes = await getBytes(attachment.id);
    return bytes && { part: getPart(attachment, bytes) };
  };

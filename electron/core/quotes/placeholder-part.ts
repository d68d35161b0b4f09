import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { ContentPart } from '#shared/wire/chat-request.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';
/** Tokens of one page by the gateway’s count (wire contract §7). */
const tokensOfPage = 1500;

/**
 * A placeholder for a file in a request that is only priced: it counts the same tokens and needs the same modality,
 * without sending megabytes each time the user pauses. Text is short and sent as it is.
 */
export function placeholderFor(bytesOf: (id: string) => Promise<Buffer | null>) {
  return async ({ id, kind, name, tokens }: Attachment): Promise<ContentPart | null> => {
    if (kind === 'image') return { type: 'image_url', image_url: { url: pixel, detail: undefined } };
    if (kind === 'text') {
      const bytes = await bytesOf(id);
      return bytes && { type: 'text', text: `${name}\n\`\`\`\n${bytes.toString('utf8')}\n\`\`\`` };
    }
    const pages = Math.max(1, Math.round(tokens / tokensOfPage));
    return { type: 'file', file: { filename: name, file_data: pdf + padding(pages), file_id: undefined } };
  };
}

/** Base64 of as many bytes as the gateway counts for these pages. */
const padding = (pages: number): string =>
  pages <= 1 ? '' : 'A'.repeat(Math.ceil(((pages - 1) * 200_000 * 4) / 3) + 4);

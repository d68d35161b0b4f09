import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { ContentPart } from '#shared/wire/chat-request.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';
/** What the gateway counts for a document of one page (wire contract §7). */
const tokensOfPage = 1500;

/**
 * What stands for a file in a request that is only priced: it counts as many tokens and asks the same of a model, and
 * megabytes need not travel each time the user stops typing. Text is short and goes as it is.
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

/** Base64 of as many bytes as the gateway takes for so many pages, without being them: it counts, it does not read. */
const padding = (pages: number): string =>
  pages <= 1 ? '' : 'A'.repeat(Math.ceil(((pages - 1) * 200_000 * 4) / 3) + 4);

import { tokensOfBytes, tokensPerImage, tokensPerPdfPage } from '#gateway/providers/content/estimate-tokens.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import { partTokens } from './attachment-part.ts';
import type { DocumentReader, PdfSize } from './document-reader.ts';
import { sniff } from './sniff.ts';

/** A file as it is kept: what a document says is kept as text, and the document itself is not. */
export interface ReadFile extends Pick<Attachment, 'kind' | 'mediaType' | 'tokens'> {
  readonly bytes: Buffer;
}

/** Reads files that are attached. Throws `attachment_refused` with advice. */
export function fileReader(documents: DocumentReader) {
  return async (name: string, bytes: Buffer, signal: AbortSignal, maxImageBytes?: number): Promise<ReadFile> => {
    const { kind, mediaType } = await sniff(name, bytes, maxImageBytes);
    if (kind === 'document') {
      const text = await getText(name, bytes, signal);
      return { kind: 'text', mediaType: 'text/markdown', bytes: text, tokens: textTokens(name, text) };
    }
    const file = { kind, mediaType, bytes };
    if (kind !== 'pdf') return { ...file, tokens: partTokens({ name, kind, mediaType }, bytes) };
    const size = await documents.pdf(bytes, signal);
    if (size.fault === 'unreadable') return { ...file, tokens: partTokens({ name, kind, mediaType }, bytes) };
    if (size.fault) throw refusal('attachment_refused', 'documentNotRead', { name, fault: size.fault });
    return { ...file, tokens: pdfTokens(size) };
  };

  async function getText(name: string, bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { text, fault } = await documents.office(bytes, signal);
    const read = Buffer.from(text ?? '');
    const why = fault ?? (read.length === 0 ? 'empty' : null);
    if (why !== null) throw refusal('attachment_refused', 'documentNotRead', { name, fault: why });
    return read;
  }
}

const textTokens = (name: string, text: Buffer): number =>
  partTokens({ name, kind: 'text', mediaType: 'text/markdown' }, text);

/** Providers read a page as a picture and as its text; 1,500 a page (wire contract §7) are too few where it is full of it. */
const pdfTokens = ({ pages, textBytes }: Exclude<PdfSize, { fault: string }>): number =>
  Math.max(pages * tokensPerPdfPage, pages * tokensPerImage + tokensOfBytes(textBytes));

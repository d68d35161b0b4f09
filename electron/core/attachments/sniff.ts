import { fileTypeFromBuffer } from 'file-type';
import { type AttachmentKind, attachmentLimits } from '#shared/contract/attachments.ts';
import { AppError } from '#shared/errors.ts';

export interface Sniffed {
  readonly kind: AttachmentKind;
  readonly mediaType: string;
}

/** What the wire takes as an image (wire contract §1.5). */
const images = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const limits = {
  image: attachmentLimits.imageBytes,
  pdf: attachmentLimits.pdfBytes,
  text: attachmentLimits.textBytes,
} as const;

/** What a file is, by its bytes and never by its name. Throws `attachment_refused` with what can be done instead. */
export async function sniff(name: string, bytes: Uint8Array): Promise<Sniffed> {
  const sniffed = await kindOf(name, bytes);
  const limit = limits[sniffed.kind];
  if (bytes.length > limit) {
    throw refused(
      `${name} is too large: ${words[sniffed.kind]} may have up to ${limit / 1_048_576} MB. Make it smaller or split it.`,
    );
  }
  return sniffed;
}

const words = { image: 'an image', pdf: 'a PDF', text: 'a text file' } as const;

async function kindOf(name: string, bytes: Uint8Array): Promise<Sniffed> {
  const found = await fileTypeFromBuffer(bytes);
  if (found && images.has(found.mime)) return { kind: 'image', mediaType: found.mime };
  if (found?.mime === 'application/pdf') return { kind: 'pdf', mediaType: found.mime };
  // Some text formats have a signature of their own, such as XML.
  if (isText(bytes)) return { kind: 'text', mediaType: 'text/plain' };
  if (found?.mime.startsWith('image/')) {
    throw refused(
      `${name} is a ${found.ext.toUpperCase()} image. Models read PNG, JPEG, WebP and GIF: convert it first.`,
    );
  }
  throw refused(
    `${name} is ${found ? `a ${found.ext.toUpperCase()} file` : 'a binary file'}. Images, PDF, text and code can be attached.`,
  );
}

/** Well-formed UTF-8 without the control characters that no text has. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

const refused = (message: string) => new AppError('attachment_refused', message);

import { fileTypeFromBuffer } from 'file-type';
import type { AttachmentKind } from '#shared/contract/common/attachments.ts';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import { refusal } from '#shared/language/refusals.ts';

export interface Sniffed {
  /** A document is converted to text, so it isn't one of the stored kinds. */
  readonly kind: AttachmentKind | 'document';
  readonly mediaType: string;
}

/** Image types that the wire allows (wire contract §1.5). */
const images = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/**
 * Formats that are converted to text. `cfb` is Office's format before 2007, and still its format for files with a
 * password.
 */
const documents = new Set(['docx', 'docm', 'xlsx', 'xlsm', 'pptx', 'pptm', 'odt', 'ods', 'odp', 'rtf', 'epub', 'cfb']);
const limits = {
  document: attachmentLimits.pdfBytes,
  image: attachmentLimits.imageBytes,
  pdf: attachmentLimits.pdfBytes,
  text: attachmentLimits.textBytes,
} as const;
const refused = 'attachment_refused';

/**
 * Detects a file's type from its bytes, never from its name. Throws `attachment_refused` with advice. `maxImageBytes`
 * sets another limit for images that aren't attached to a message.
 */
export async function sniff(
  name: string,
  bytes: Uint8Array,
  maxImageBytes: number = attachmentLimits.imageBytes,
): Promise<Sniffed> {
  const sniffed = await getKind(name, bytes);
  const limit = { ...limits, image: maxImageBytes }[sniffed.kind];
  if (bytes.length > limit) {
    throw refusal(refused, 'attachmentTooLarge', { name, kind: sniffed.kind, megabytes: limit / 1_048_576 });
  }
  return sniffed;
}

async function getKind(name: string, bytes: Uint8Array): Promise<Sniffed> {
  const found = await fileTypeFromBuffer(bytes);
  if (found && images.has(found.mime)) return { kind: 'image', mediaType: found.mime };
  if (found?.mime === 'application/pdf') return { kind: 'pdf', mediaType: found.mime };
  if (found && documents.has(found.ext)) return { kind: 'document', mediaType: found.mime };
  // Some text formats, such as XML, have a signature.
  if (isText(bytes)) return { kind: 'text', mediaType: 'text/plain' };
  if (found?.mime.startsWith('image/')) {
    throw refusal(refused, 'pictureNotRead', { name, format: found.ext.toUpperCase() });
  }
  // The first bytes of a truncated or damaged document look like those of any archive.
  if (found?.ext === 'zip' && documents.has(getEnding(name))) {
    throw refusal(refused, 'documentNotRead', { name, fault: 'damaged' });
  }
  throw refusal(refused, 'fileNotRead', { name, format: found?.ext.toUpperCase() ?? null });
}

const getEnding = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/** Accepts well-formed UTF-8 without the control characters that no text contains. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

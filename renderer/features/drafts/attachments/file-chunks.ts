import type { Attachment } from '#shared/contract/common/attachments.ts';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import type { Api } from '../../../api/api.ts';

const { chunkBytes } = attachmentLimits;

/** Uploads a file to the core in chunks and returns it as an attachment. */
export async function uploadFile(api: Api, file: File, uploadId: string, signal: AbortSignal): Promise<Attachment> {
  const name = file.name || 'file';
  for (let offset = 0; offset < file.size; offset += chunkBytes) {
    const chunk = new Uint8Array(await file.slice(offset, offset + chunkBytes).arrayBuffer());
    const { attachment } = await api.attachments.upload(
      { uploadId, name, offset, totalBytes: file.size, data: toBase64(chunk) },
      { signal },
    );
    if (attachment) return attachment;
  }
  throw new Error('The file ended before it was whole');
}

/** Reads an attachment. The core detected its type, so a file name can't choose another. */
export async function readFile(api: Api, { id, mediaType }: Attachment, signal: AbortSignal): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let offset = 0, total = 1; offset < total; ) {
    const { data, totalBytes } = await api.attachments.read({ id, offset }, { signal });
    const chunk = fromBase64(data);
    if (chunk.length === 0) break;
    chunks.push(chunk);
    offset += chunk.length;
    total = totalBytes;
  }
  return new Blob(chunks, { type: mediaType });
}

/** `String.fromCharCode` accepts only a limited number of arguments. */
const batch = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += batch)
    text += String.fromCharCode(...bytes.subarray(index, index + batch));
  return btoa(text);
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

import { imageSize } from 'image-size';
import { fileTypeOf } from '#gateway/content/file-type.ts';
import type { Downloaded, DownloadOptions } from '#gateway/upstream/guarded-download.ts';
import { imageLimits } from '#shared/contract/chat/images.ts';
import { refusal } from '#shared/language/refusals.ts';

export interface ImagesDeps {
  /** Reaches public addresses only. */
  readonly download: (url: string, options: DownloadOptions) => Promise<Downloaded>;
}

const code = 'file_download_failed';
const timeoutMs = 20_000;
const accept = 'image/webp, image/png, image/jpeg, image/gif';

/** Pictures that answers name: fetched when the reader asks for one, never before, and shown only if they are pictures. */
export function imagesFeature({ download }: ImagesDeps) {
  return {
    async fetch({ url }: { url: string }, signal?: AbortSignal) {
      const options = { maxBytes: imageLimits.bytes, timeoutMs, accept, ...(signal ? { signal } : {}) };
      const { bytes } = await download(url, options);
      // A server may call anything a picture, and an SVG is a program: the bytes decide.
      const mediaType = fileTypeOf(bytes);
      if (!mediaType?.startsWith('image/')) throw refusal(code, 'noPicture');
      const { width, height } = sizeOf(bytes);
      // A few kilobytes can stand for gigabytes of pixels.
      if (width * height > imageLimits.pixels) throw refusal(code, 'pictureTooLarge', { width, height });
      return { mediaType, base64: bytes.toString('base64'), width, height };
    },
  };
}

function sizeOf(bytes: Buffer): { width: number; height: number } {
  try {
    // A copy: it reads past the end of a view, into what else is in memory.
    return imageSize(new Uint8Array(bytes));
  } catch (cause) {
    throw refusal(code, 'pictureDamaged', { cause });
  }
}

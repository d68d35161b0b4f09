import { imageSize } from 'image-size';
import { getFileType } from '#gateway/providers/content/file-type.ts';
import type { Downloaded, DownloadOptions } from '#gateway/providers/upstream/guarded-download.ts';
import { imageLimits } from '#shared/contract/chat/images.ts';
import { refusal } from '#shared/language/refusals.ts';

export interface ImagesDeps {
  /** Downloads from public addresses only. */
  readonly download: (url: string, options: DownloadOptions) => Promise<Downloaded>;
}

const code = 'file_download_failed';
const timeoutMs = 20_000;
const accept = 'image/webp, image/png, image/jpeg, image/gif';

/** Images in answers. They are fetched only when the reader asks for them, and shown only if they really are images. */
export function imagesFeature({ download }: ImagesDeps) {
  return {
    async fetch({ url }: { url: string }, signal?: AbortSignal) {
      const options = { maxBytes: imageLimits.bytes, timeoutMs, accept, ...(signal ? { signal } : {}) };
      const { bytes } = await download(url, options);
      // The bytes decide: a server may call anything an image, and an SVG can contain scripts.
      const mediaType = getFileType(bytes);
      if (!mediaType?.startsWith('image/')) throw refusal(code, 'noPicture');
      const { width, height } = getSize(bytes);
      // A few kilobytes can decode to gigabytes of pixels.
      if (width * height > imageLimits.pixels) throw refusal(code, 'pictureTooLarge', { width, height });
      return { mediaType, base64: bytes.toString('base64'), width, height };
    },
  };
}

function getSize(bytes: Buffer): { width: number; height: number } {
  try {
    // The bytes are copied because the library reads past the end of a view into its buffer.
    return imageSize(new Uint8Array(bytes));
  } catch (cause) {
    throw refusal(code, 'pictureDamaged', { cause });
  }
}

import { oc } from '@orpc/contract';
import { z } from 'zod';

/** Limits for images in answers. */
export const imageLimits = { bytes: 8 * 1_048_576, pixels: 40_000_000 } as const;

export const imagesContract = {
  /**
   * Fetches an image of an answer when the reader asks for it: over https, from public hosts only, and only PNG, JPEG,
   * WebP or GIF. Otherwise throws `file_download_failed` with the reason.
   */
  fetch: oc
    .input(z.object({ url: z.string().max(8192) }))
    .output(z.object({ mediaType: z.string(), base64: z.string(), width: z.int(), height: z.int() })),
};

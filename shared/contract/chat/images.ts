import { oc } from '@orpc/contract';
import { z } from 'zod';

/** What a picture that an answer names may be. */
export const imageLimits = { bytes: 8 * 1_048_576, pixels: 40_000_000 } as const;

export const imagesContract = {
  /**
   * Fetches a picture that an answer names, because its reader asked for it: over https, from public hosts only, and only
   * what by its bytes is a PNG, JPEG, WebP or GIF. Everything else is refused with `file_download_failed`, which says why.
   */
  fetch: oc
    .input(z.object({ url: z.string().max(8192) }))
    .output(z.object({ mediaType: z.string(), base64: z.string(), width: z.int(), height: z.int() })),
};

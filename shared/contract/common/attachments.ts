import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id } from './fields.ts';
import { attachmentLimits } from './limits.ts';

export const attachmentKind = z.enum(['image', 'pdf', 'text']);

/** An attachment of a message or a draft. `id` is the SHA-256 of its bytes: each file is stored once. */
export const attachment = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string().min(1).max(255),
  kind: attachmentKind,
  mediaType: z.string().max(100),
  bytes: z.int().positive(),
  /** Estimated input tokens, by the gateway's rule (wire contract §7). */
  tokens: z.int().nonnegative(),
});

export const attachments = z.array(attachment).max(attachmentLimits.perMessage);

const base64 = z
  .string()
  .max(Math.ceil(attachmentLimits.chunkBytes / 3) * 4)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

export const attachmentsContract = {
  /**
   * Uploads one piece, in order. The caller creates `uploadId`. The last piece returns the attachment, whose type is
   * detected from its bytes. `attachment_refused` explains why a file is refused.
   */
  upload: oc
    .input(
      z.object({
        uploadId: id,
        name: z.string().min(1).max(255),
        offset: z.int().nonnegative(),
        totalBytes: z.int().positive(),
        data: base64,
      }),
    )
    .output(z.object({ attachment: attachment.nullable() })),
  /** Reads one piece, starting at `offset`. */
  read: oc
    .input(z.object({ id: attachment.shape.id, offset: z.int().nonnegative() }))
    .output(z.object({ data: base64, totalBytes: z.int() })),
};

export type Attachment = z.infer<typeof attachment>;
export type AttachmentKind = z.infer<typeof attachmentKind>;

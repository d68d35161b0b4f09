import { randomUUID } from 'node:crypto';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import type { TestCore } from './core-of-test.ts';

/** Uploads a file piece by piece, as the window does. */
export async function uploaded(client: TestCore['client'], name: string, bytes: Buffer): Promise<Attachment> {
  const uploadId = randomUUID();
  const { chunkBytes } = attachmentLimits;
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    const data = bytes.subarray(offset, offset + chunkBytes).toString('base64');
    const { attachment } = await client.attachments.upload({ uploadId, name, offset, totalBytes: bytes.length, data });
    if (attachment) return attachment;
  }
  throw new Error('the upload never ended');
}

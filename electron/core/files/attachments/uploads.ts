import { attachmentLimits } from '#shared/contract/common/limits.ts';
import { refusal } from '#shared/language/refusals.ts';

interface Upload {
  readonly bytes: Buffer;
  filled: number;
}

export interface UploadChunk {
  readonly uploadId: string;
  readonly name: string;
  readonly offset: number;
  readonly totalBytes: number;
  readonly data: string;
}

const maxAtOnce = 12;
const largest = Math.max(attachmentLimits.imageBytes, attachmentLimits.pdfBytes, attachmentLimits.textBytes);

/** Incomplete uploads, in memory: few and bounded. */
export function openUploads() {
  const uploads = new Map<string, Upload>();

  /** Takes one chunk; returns the file when it is complete, else null. */
  return function take({ uploadId, name, offset, totalBytes, data }: UploadChunk): Buffer | null {
    if (totalBytes > largest) {
      throw refusal('attachment_refused', 'uploadTooLarge', {
        name,
        pdf: attachmentLimits.pdfBytes / 1_048_576,
        image: attachmentLimits.imageBytes / 1_048_576,
        text: attachmentLimits.textBytes / 1_048_576,
      });
    }
    const upload = uploads.get(uploadId) ?? begin(uploads, uploadId, totalBytes);
    const chunk = Buffer.from(data, 'base64');
    const isNext = offset === upload.filled && totalBytes === upload.bytes.length;
    if (!isNext || chunk.length === 0 || offset + chunk.length > totalBytes) {
      uploads.delete(uploadId);
      throw refusal('invalid_input', 'uploadBroken', { name });
    }
    chunk.copy(upload.bytes, offset);
    upload.filled += chunk.length;
    if (upload.filled < totalBytes) return null;
    uploads.delete(uploadId);
    return upload.bytes;
  };
}

function begin(uploads: Map<string, Upload>, uploadId: string, totalBytes: number): Upload {
  // An abandoned upload is dropped when others need its space.
  const [oldest] = uploads.keys();
  if (uploads.size >= maxAtOnce && oldest !== undefined) uploads.delete(oldest);
  const upload = { bytes: Buffer.alloc(totalBytes), filled: 0 };
  uploads.set(uploadId, upload);
  return upload;
}

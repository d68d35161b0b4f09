import { basename, join } from 'node:path';
import { tokensOfBytes, tokensPerImage, tokensPerPdfPage } from '#gateway/providers/content/estimate-tokens.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import { refusal } from '#shared/language/refusals.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { attachmentFiles } from './attachment-files.ts';
import { partTokens } from './attachment-part.ts';
import { attachmentsStore } from './attachments-store.ts';
import type { DocumentReader, PdfSize } from './document-reader.ts';
import { sniff } from './sniff.ts';

/** A file as it is stored. For a document, only its text is stored, not the document itself. */
interface ReadFile extends Pick<Attachment, 'kind' | 'mediaType' | 'tokens'> {
  readonly bytes: Buffer;
}

/** Reads files that are attached. Throws `attachment_refused` with advice. */
function fileReader(documents: DocumentReader) {
  return async (name: string, bytes: Buffer, signal: AbortSignal, maxImageBytes?: number): Promise<ReadFile> => {
    const { kind, mediaType } = await sniff(name, bytes, maxImageBytes);
    if (kind === 'document') {
      const text = await getText(name, bytes, signal);
      return { kind: 'text', mediaType: 'text/markdown', bytes: text, tokens: textTokens(name, text) };
    }
    const file = { kind, mediaType, bytes };
    if (kind !== 'pdf') return { ...file, tokens: partTokens({ name, kind, mediaType }, bytes) };
    const size = await documents.pdf(bytes, signal);
    if (size.fault === 'unreadable') return { ...file, tokens: partTokens({ name, kind, mediaType }, bytes) };
    if (size.fault) throw refusal('attachment_refused', 'documentNotRead', { name, fault: size.fault });
    return { ...file, tokens: pdfTokens(size) };
  };

  async function getText(name: string, bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { text, fault } = await documents.office(bytes, signal);
    const read = Buffer.from(text ?? '');
    const why = fault ?? (read.length === 0 ? 'empty' : null);
    if (why !== null) throw refusal('attachment_refused', 'documentNotRead', { name, fault: why });
    return read;
  }
}

const textTokens = (name: string, text: Buffer): number =>
  partTokens({ name, kind: 'text', mediaType: 'text/markdown' }, text);

/**
 * Providers read a PDF page both as an image and as text. The 1,500 tokens per page of wire contract §7 are too few for
 * a page full of text.
 */
const pdfTokens = ({ pages, textBytes }: Exclude<PdfSize, { fault: string }>): number =>
  Math.max(pages * tokensPerPdfPage, pages * tokensPerImage + tokensOfBytes(textBytes));

interface Upload {
  readonly bytes: Buffer;
  filled: number;
}

interface UploadChunk {
  readonly uploadId: string;
  readonly name: string;
  readonly offset: number;
  readonly totalBytes: number;
  readonly data: string;
}

const maxAtOnce = 12;
const largest = Math.max(attachmentLimits.imageBytes, attachmentLimits.pdfBytes, attachmentLimits.textBytes);

/** Incomplete uploads. They are held in memory, so their number and size are limited. */
function openUploads() {
  const uploads = new Map<string, Upload>();

  /** Takes one chunk. Returns the file when it is complete, otherwise null. */
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
  // The oldest upload is dropped if there are too many, as it was probably abandoned.
  const [oldest] = uploads.keys();
  if (uploads.size >= maxAtOnce && oldest !== undefined) uploads.delete(oldest);
  const upload = { bytes: Buffer.alloc(totalBytes), filled: 0 };
  uploads.set(uploadId, upload);
  return upload;
}

export interface AttachmentsDeps extends CoreContext {
  readonly documents: DocumentReader;
}

const dayMs = 86_400_000;

/** Attachments are uploaded in chunks, stored by hash, and read in chunks. */
export function attachmentsFeature({ dataFolder, db, now, log, documents, closing }: AttachmentsDeps) {
  const files = attachmentFiles(join(dataFolder, 'attachments'));
  const store = attachmentsStore(db);
  const read = fileReader(documents);
  const take = openUploads();
  /**
   * A file and its record are added and removed one operation at a time, because an unused file may be uploaded again
   * while it is removed.
   */
  const inTurn = takingTurns();

  async function keep(name: string, bytes: Buffer, maxImageBytes?: number): Promise<Attachment> {
    const { kind, mediaType, bytes: kept, tokens } = await read(name, bytes, closing, maxImageBytes);
    return inTurn(async () => {
      const id = await files.write(kept);
      await store.keep({ id, kind, media_type: mediaType, bytes: kept.length, tokens, used_at: now() });
      return { id, name, kind, mediaType, bytes: kept.length, tokens };
    });
  }

  async function removeUnused(): Promise<void> {
    for (const id of await store.unused(now() - dayMs)) {
      await store.forget(id);
      await files.remove(id);
    }
    const known = await store.ids();
    for (const id of await files.ids()) if (!known.has(id)) await files.remove(id);
  }

  return {
    async upload(chunk: UploadChunk): Promise<{ attachment: Attachment | null }> {
      // A dropped file's path must not reveal the folder to the model.
      const name = basename(chunk.name.replaceAll('\\', '/')) || 'file';
      const bytes = take({ ...chunk, name });
      return { attachment: bytes ? await keep(name, bytes) : null };
    },

    async read({ id, offset }: { id: string; offset: number }): Promise<{ data: string; totalBytes: number }> {
      const bytes = await files.read(id);
      if (!bytes) throw refusal('not_found', 'fileGone');
      const chunk = bytes.subarray(offset, offset + attachmentLimits.chunkBytes);
      return { data: chunk.toString('base64'), totalBytes: bytes.length };
    },

    /** Returns the bytes of a file for a request. Null if they are missing. */
    bytes: (id: string): Promise<Buffer | null> => files.read(id),

    /**
     * Stores a file that was not uploaded. Images may be larger than in an upload. Throws `attachment_refused` as an
     * upload does.
     */
    keep: (name: string, bytes: Buffer): Promise<Attachment> => keep(name, bytes, attachmentLimits.keptImageBytes),
    /** Throws `attachment_refused` if a file would not be stored. */
    check: async (name: string, bytes: Buffer): Promise<void> =>
      void (await sniff(name, bytes, attachmentLimits.keptImageBytes)),
    /** Returns the record of a file. Its bytes may be missing nevertheless. */
    find: store.find,

    /** Accepts only attachments that were uploaded here. Returns the stored facts instead of the given ones. */
    async verify(attachments: readonly Attachment[]): Promise<Attachment[]> {
      const total = attachments.reduce((sum, { bytes }) => sum + bytes, 0);
      if (total > attachmentLimits.bytesPerMessage) {
        throw refusal('attachment_refused', 'attachmentsTooLarge', {
          megabytes: attachmentLimits.bytesPerMessage / 1_048_576,
        });
      }
      return Promise.all(
        attachments.map(async ({ id, name }) => {
          const row = await store.find(id);
          if (!row) throw refusal('not_found', 'attachmentGone', { name });
          return { id, name, kind: row.kind, mediaType: row.media_type, bytes: row.bytes, tokens: row.tokens };
        }),
      );
    },

    /** Removes files that have been unreferenced for a day. Never throws: the next start tries again. */
    async cleanUp(): Promise<void> {
      try {
        await inTurn(removeUnused);
      } catch (error) {
        log({ event: 'attachments_not_cleaned', ...failureEntry(error) });
      }
    },
  };
}

import { useState } from 'react';
import { ulid } from 'ulid';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import { useApi } from '../../../api/api.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { uploadFile } from './file-chunks.ts';

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly cancel: () => void;
}

/** Uploads files one after another. A refused file is reported; the others are passed to `added`. */
export function useUploads(added: (attachment: Attachment) => void) {
  const api = useApi();
  const [uploading, setArriving] = useState<readonly Upload[]>([]);
  const [refusals, setRefusals] = useState<readonly string[]>([]);

  async function takeOne(file: File): Promise<Attachment | null> {
    const id = ulid();
    const leave = new AbortController();
    setArriving((list) => [...list, { id, name: file.name, cancel: () => leave.abort() }]);
    try {
      const refusal = toRefusal(file);
      if (refusal) throw new Refusal(refusal);
      const attachment = await uploadFile(api, file, id, leave.signal);
      added(attachment);
      return attachment;
    } catch (error) {
      if (leave.signal.aborted) return null;
      const sentence = error instanceof Refusal ? error.message : describeError(error).sentence;
      setRefusals((list) => [...list, sentence]);
      return null;
    } finally {
      setArriving((list) => list.filter((entry) => entry.id !== id));
    }
  }

  return {
    uploading,
    refusals,
    forget: () => setRefusals([]),
    /** Uploads files and returns those that were added. `present` is the number of files already attached. */
    async take(files: readonly File[], present: number): Promise<Attachment[]> {
      const taken: Attachment[] = [];
      const left = attachmentLimits.perMessage - present - uploading.length;
      setRefusals(files.length > left ? [text.tooManyFiles(attachmentLimits.perMessage)] : []);
      for (const file of files.slice(0, Math.max(0, left))) {
        const attachment = await takeOne(file);
        if (attachment) taken.push(attachment);
      }
      return taken;
    },
  };
}

class Refusal extends Error {}

/** Checks a file before the upload. The core decides by its content. */
function toRefusal({ name, size }: File): string | null {
  if (size === 0) return text.emptyFile(name);
  const most = Math.max(attachmentLimits.imageBytes, attachmentLimits.pdfBytes, attachmentLimits.textBytes);
  return size > most ? text.hugeFile(name, most / 1_048_576) : null;
}

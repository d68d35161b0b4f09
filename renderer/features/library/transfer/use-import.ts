import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ImportPreview } from '#shared/contract/chat/transfer.ts';
import { useApi } from '../../../api/api.ts';

const pieceBytes = 1_000_000;

export interface OpenImport {
  readonly uploadId: string;
  readonly preview: ImportPreview;
  /** The name of the file. */
  readonly name: string;
}

/** Uploads a file and previews its content. */
export function useImport() {
  const api = useApi();
  const [percent, setPercent] = useState<number | null>(null);
  const read = useMutation({
    mutationFn: async (file: File): Promise<OpenImport> => {
      setPercent(0);
      const { uploadId } = await api.transfer.beginImport();
      try {
        for (let offset = 0; offset < file.size; offset += pieceBytes) {
          const bytes = new Uint8Array(await file.slice(offset, offset + pieceBytes).arrayBuffer());
          await api.transfer.appendImport({ uploadId, offset, base64: toBase64(bytes) });
          setPercent(Math.round((100 * Math.min(file.size, offset + pieceBytes)) / file.size));
        }
        return { uploadId, preview: await api.transfer.previewImport({ uploadId }), name: file.name };
      } catch (error) {
        await api.transfer.giveUpImport({ uploadId }).catch(() => {});
        throw error;
      }
    },
    onSettled: () => setPercent(null),
  });
  return { percent, read };
}

/** Reads a file that the system opened with the app. Aborting the signal discards what was read. */
export function useOpenedFile() {
  const api = useApi();
  return useMutation({
    mutationFn: async ({ fileId, signal }: { fileId: string; signal: AbortSignal }): Promise<OpenImport> => {
      const { uploadId, name } = await api.transfer.openFile({ fileId }, { signal });
      const preview = await api.transfer.previewImport({ uploadId });
      if (signal.aborted) await api.transfer.giveUpImport({ uploadId });
      return { uploadId, preview, name };
    },
  });
}

/** Imports what was read, or discards it. */
export function useImportDecision() {
  const api = useApi();
  const commit = useMutation({
    mutationFn: (uploadId: string) => api.transfer.commitImport({ uploadId, sourceIds: null }),
  });
  const giveUp = useMutation({ mutationFn: (uploadId: string) => api.transfer.giveUpImport({ uploadId }) });
  return { commit, giveUp };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let index = 0; index < bytes.length; index += 8192)
    binary += String.fromCharCode(...bytes.subarray(index, index + 8192));
  return btoa(binary);
}

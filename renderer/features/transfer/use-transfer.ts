import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExportFormat, ImportPreview } from '#shared/contract/transfer.ts';
import { type Api, useApi } from '../../lib/api.ts';

const pieceBytes = 1_000_000;
const endings = { markdown: 'md', html: 'html', json: 'json' } as const;
const types = { markdown: 'text/markdown', html: 'text/html', json: 'application/json' } as const;

/** Writes chats to a file that the reader's own save dialog, or the browser, puts where they want it. */
export function useExport() {
  const api = useApi();
  return useMutation({
    mutationFn: async ({ ids, format, name }: { ids: string[]; format: ExportFormat; name: string }) => {
      const parts: string[] = [];
      for await (const { text } of await api.transfer.export({ ids, format })) parts.push(text);
      saveFile(new Blob(parts, { type: types[format] }), `${fileName(name)}.${endings[format]}`);
    },
  });
}

/** The ids of all chats that are not in the trash. */
export function useAllIds() {
  const api = useApi();
  return async () => [...(await idsOf(api, 'active')), ...(await idsOf(api, 'archived'))];
}

async function idsOf(api: Api, view: 'active' | 'archived'): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Api['conversations']['list']>> = await api.conversations.list({
      view,
      limit: 500,
      cursor,
    });
    ids.push(...page.conversations.map((each) => each.id));
    cursor = page.nextCursor;
  } while (cursor);
  return ids;
}

/** A name that every file system takes. */
const fileName = (name: string) =>
  name
    .replace(/[\p{C}<>:"/\\|?*]+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
    .trim() || 'chats';

function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The download has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export interface OpenImport {
  readonly uploadId: string;
  readonly preview: ImportPreview;
}

/** Sends a file to the core piece by piece and asks what is in it; then imports it or gives it up. */
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
          await api.transfer.appendImport({ uploadId, offset, base64: base64Of(bytes) });
          setPercent(Math.round((100 * Math.min(file.size, offset + pieceBytes)) / file.size));
        }
        return { uploadId, preview: await api.transfer.previewImport({ uploadId }) };
      } catch (error) {
        await api.transfer.giveUpImport({ uploadId }).catch(() => {});
        throw error;
      }
    },
    onSettled: () => setPercent(null),
  });
  const commit = useMutation({
    mutationFn: (uploadId: string) => api.transfer.commitImport({ uploadId, sourceIds: null }),
  });
  const giveUp = useMutation({ mutationFn: (uploadId: string) => api.transfer.giveUpImport({ uploadId }) });
  return { percent, read, commit, giveUp };
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

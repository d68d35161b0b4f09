import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { chatsFile } from '#shared/chats-file.ts';
import type { SavedFormat } from '#shared/contract/chat/transfer.ts';
import { fileName } from '#shared/file-name.ts';
import { type Api, useApi } from '../../../api/api.ts';
import { useAppInfo } from '../../../api/use-core.ts';
import { saveFile } from '../../../browser/save-file.ts';
import { printPage } from './print-page.ts';

const endings = { markdown: 'md', html: 'html', json: 'json', portico: chatsFile.ending } as const;
const types = {
  markdown: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  portico: chatsFile.mediaType,
} as const;

interface Wanted {
  readonly ids: string[];
  readonly format: SavedFormat;
  readonly name: string;
}

/** The result of an export: a file of this name, the browser’s download or print dialog, or cancelled. */
export type Exported =
  | { readonly as: 'saved'; readonly name: string }
  | { readonly as: 'download' | 'print' | 'nothing' };

/** Exports chats to a file by the system’s dialog, or by the browser’s download and print. */
export function useExport() {
  const api = useApi();
  const saveDialog = useAppInfo().data?.capabilities.saveDialog ?? false;
  const running = useRef(new AbortController());
  const exporting = useMutation({
    mutationFn: async (wanted: Wanted): Promise<Exported> => {
      running.current = new AbortController();
      const { signal } = running.current;
      try {
        return await (saveDialog ? save(api, wanted, signal) : throughBrowser(api, wanted, signal));
      } catch (error) {
        if (signal.aborted) return { as: 'nothing' };
        throw error;
      }
    },
  });
  const giveUp = useCallback(() => running.current.abort(), []);
  return { ...exporting, saveDialog, giveUp };
}

async function save(api: Api, wanted: Wanted, signal: AbortSignal): Promise<Exported> {
  const { savedAs } = await api.transfer.save({ ...wanted, name: wanted.name.slice(0, 200) || 'chats' }, { signal });
  return savedAs === null ? { as: 'nothing' } : { as: 'saved', name: savedAs };
}

async function throughBrowser(api: Api, { ids, format, name }: Wanted, signal: AbortSignal): Promise<Exported> {
  if (format === 'pdf') {
    const { path } = await api.transfer.preparePrint({ ids }, { signal });
    await printPage(path);
    return { as: 'print' };
  }
  const parts: string[] = [];
  for await (const { text } of await api.transfer.export({ ids, format }, { signal })) parts.push(text);
  saveFile(new Blob(parts, { type: types[format] }), `${fileName(name)}.${endings[format]}`);
  return { as: 'download' };
}

export function useAllIds() {
  const api = useApi();
  return async () => [...(await getIds(api, 'active')), ...(await getIds(api, 'archived'))];
}

async function getIds(api: Api, view: 'active' | 'archived'): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Api['conversations']['list']>> = await api.conversations.list({
      view,
      limit: 500,
      cursor,
    });
    ids.push(...page.conversations.map((conversation) => conversation.id));
    cursor = page.nextCursor;
  } while (cursor);
  return ids;
}

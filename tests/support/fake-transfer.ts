import { implement } from '@orpc/server';
import { contract } from '#shared/contract/index.ts';

/** Exports and imports in memory. The files are always the same. */
export function fakeTransfer(guard: (method: string) => Promise<void>) {
  const os = implement(contract).transfer;
  return {
    export: os.export.handler(async function* ({ input }) {
      await guard('transfer.export');
      yield { text: `${input.format}: ${input.ids.join(', ')}` };
    }),
    save: os.save.handler(async ({ input }) => {
      await guard('transfer.save');
      return { savedAs: `${input.name}.${input.format}` };
    }),
    preparePrint: os.preparePrint.handler(async () => {
      await guard('transfer.preparePrint');
      return { path: '/print/page' };
    }),
    duplicate: os.duplicate.handler(async ({ input }) => {
      await guard('transfer.duplicate');
      return { id: input.id };
    }),
    beginImport: os.beginImport.handler(async () => {
      await guard('transfer.beginImport');
      return { uploadId: 'upload' };
    }),
    appendImport: os.appendImport.handler(async ({ input }) => {
      await guard('transfer.appendImport');
      return { received: input.offset + 1 };
    }),
    openFile: os.openFile.handler(async () => {
      await guard('transfer.openFile');
      return { uploadId: 'upload', name: 'Old chats.portico' };
    }),
    previewImport: os.previewImport.handler(async () => {
      await guard('transfer.previewImport');
      return {
        source: 'chatgpt' as const,
        conversations: [
          {
            sourceId: 'chatgpt:1',
            title: `An old chat, ${'whose title was never shortened by anybody, '.repeat(4)}to its end`,
            messages: 12,
            createdAt: 1_700_000_000_000,
            alreadyHere: false,
            newMessages: 12,
          },
        ],
        leftOut: [{ what: 'files', count: 3 }],
      };
    }),
    commitImport: os.commitImport.handler(async () => {
      await guard('transfer.commitImport');
      return { imported: 1, grown: 0, newMessages: 0, alreadyHere: 0, leftOut: [] };
    }),
    giveUpImport: os.giveUpImport.handler(async () => {
      await guard('transfer.giveUpImport');
    }),
  };
}

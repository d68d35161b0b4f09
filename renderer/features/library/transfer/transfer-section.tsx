import { useRef } from 'react';
import { chatsFile } from '#shared/chats-file.ts';
import { exportedText, text } from '../../../text/transfer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ImportDialog } from './import-dialog.tsx';
import { useAllIds, useExport } from './use-export.ts';
import { useImport } from './use-import.ts';

const accepted = `.${chatsFile.ending},.json,.zip,application/json,application/zip`;

/** Settings → Data & backup: export and import. */
export function TransferSection() {
  const field = useRef<HTMLInputElement>(null);
  const { percent, read } = useImport();
  const exporting = useExport();
  const allIds = useAllIds();
  const { inform, failed, mended } = useNotify();
  const exportAll = async () => {
    try {
      const ids = await allIds();
      if (ids.length === 0) return inform(text.noChats);
      const exported = await exporting.mutateAsync({
        ids,
        format: 'portico',
        name: text.exportName(new Date().toISOString().slice(0, 10)),
      });
      if (exported.as !== 'nothing') inform(exportedText(exported));
    } catch (error) {
      failed(text.exportFailed, error);
    }
  };
  return (
    <>
      <SettingsHeading className="pt-6">{text.section}</SettingsHeading>
      <p className="mt-1 mb-3 text-fg-2">{text.importNote}</p>
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={read.isPending} onClick={() => field.current?.click()}>
          {percent === null ? text.importFile : text.reading(percent)}
        </Button>
        <Button disabled={exporting.isPending} onClick={() => void exportAll()}>
          {exporting.isPending ? text.exporting : text.exportAll}
        </Button>
        <input
          ref={field}
          type="file"
          accept={accepted}
          aria-label={text.fileField}
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            // Allows choosing the same file again.
            event.target.value = '';
            if (!file) return;
            read.mutate(file, {
              onError: (error) => failed(text.importFailed, error),
              onSuccess: () => mended(text.importFailed),
            });
          }}
        />
      </div>
      <ImportDialog open={read.data ?? null} onDone={read.reset} />
    </>
  );
}

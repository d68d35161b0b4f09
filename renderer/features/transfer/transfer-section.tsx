import { useRef } from 'react';
import { exportedText, text } from '../../text/transfer-text.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { SettingsHeading } from '../../ui/forms/setting-row.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { ImportForm } from './import-form.tsx';
import { useAllIds, useExport, useImport } from './use-transfer.ts';

/** Settings → Data & backup: export and import. */
export function TransferSection() {
  const field = useRef<HTMLInputElement>(null);
  const { percent, read, commit, giveUp } = useImport();
  const exporting = useExport();
  const allIds = useAllIds();
  const { say, failed } = useNotify();
  const exportAll = async () => {
    try {
      const ids = await allIds();
      if (ids.length === 0) return say(text.noChats);
      const exported = await exporting.mutateAsync({
        ids,
        format: 'json',
        name: text.exportName(new Date().toISOString().slice(0, 10)),
      });
      if (exported.as !== 'nothing') say(exportedText(exported));
    } catch (error) {
      failed(text.exportFailed, error);
    }
  };
  const open = read.data ?? null;
  const close = () => {
    if (open) giveUp.mutate(open.uploadId);
    read.reset();
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
          accept=".json,.zip,application/json,application/zip"
          aria-label={text.fileField}
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            // Allows choosing the same file again.
            event.target.value = '';
            if (file) read.mutate(file, { onError: (error) => failed(text.importFailed, error) });
          }}
        />
      </div>
      <Dialog
        open={open !== null}
        onOpenChange={(next) => !next && close()}
        title={open ? text.importTitle(text.sources[open.preview.source], open.preview.conversations.length) : ''}
      >
        {open && (
          <ImportForm
            preview={open.preview}
            busy={commit.isPending}
            onCancel={close}
            onImport={() =>
              commit.mutate(open.uploadId, {
                onSuccess: ({ imported, leftOut }) => {
                  read.reset();
                  const left = leftOut.map(({ what, count }) => text.left[what](count)).join(', ');
                  say(text.imported(imported), left && `${text.leftOut} ${left}`);
                },
                onError: (error) => {
                  read.reset();
                  failed(text.importFailed, error);
                },
              })
            }
          />
        )}
      </Dialog>
    </>
  );
}

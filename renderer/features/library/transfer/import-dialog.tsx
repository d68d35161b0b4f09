import { useRef } from 'react';
import { text } from '../../../text/transfer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ImportForm } from './import-form.tsx';
import { type OpenImport, useImportDecision } from './use-import.ts';

/** Asks whether to import what was read from a file. Null: not shown. */
export function ImportDialog({ open, onDone }: { open: OpenImport | null; onDone: () => void }) {
  const { commit, giveUp } = useImportDecision();
  const { inform, failed } = useNotify();
  const goOn = useRef<HTMLButtonElement>(null);
  const close = () => {
    if (commit.isPending) return;
    if (open) giveUp.mutate(open.uploadId);
    onDone();
  };
  return (
    <Dialog
      open={open !== null}
      onOpenChange={(next) => !next && close()}
      initialFocus={goOn}
      title={open ? text.importTitle(text.sources[open.preview.source], open.preview.conversations.length) : ''}
    >
      {open && (
        <ImportForm
          {...open}
          busy={commit.isPending}
          goOn={goOn}
          onCancel={close}
          onImport={() =>
            commit.mutate(open.uploadId, {
              onSuccess: ({ imported, newMessages, leftOut }) => {
                const left = leftOut.map(({ what, count }) => text.left[what](count)).join(', ');
                inform(text.imported(imported, newMessages), left && `${text.leftOut} ${left}`);
              },
              onError: (error) => failed(text.importFailed, error),
              onSettled: onDone,
            })
          }
        />
      )}
    </Dialog>
  );
}

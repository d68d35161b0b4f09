import { useEffect, useState } from 'react';
import { fileDone, useOpenedFiles } from '../../../navigation/opened-files.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/transfer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { FailureWords } from '../../../ui/notices/remedy.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { useOpenedFile } from './use-import.ts';

/** Asks about files that the system opened with the app, one after another. Nothing is imported before the answer. */
export function OpenedFileDialog() {
  const fileId = useOpenedFiles(({ waiting }) => waiting[0]);
  return fileId === undefined ? null : <OpenedFile key={fileId} fileId={fileId} />;
}

function OpenedFile({ fileId }: { fileId: string }) {
  const { mutate, data, error } = useOpenedFile();
  const [reading] = useState(() => new AbortController());
  useEffect(() => mutate({ fileId, signal: reading.signal }), [mutate, fileId, reading]);
  const close = () => {
    reading.abort();
    fileDone();
  };
  if (data) return <ImportDialog open={data} onDone={fileDone} />;
  return (
    <Dialog open onOpenChange={(open) => !open && close()} title={error ? text.importFailed : text.openTitle}>
      <p role="status" className="text-fg-2">
        {error ? <FailureWords failure={describeError(error)} /> : text.readingFile}
      </p>
      <div className="mt-4 flex justify-end">
        <Button onClick={close}>{error ? text.close : text.cancel}</Button>
      </div>
    </Dialog>
  );
}

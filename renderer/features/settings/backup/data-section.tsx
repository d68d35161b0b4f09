import { useState } from 'react';
import type { Backup } from '#shared/contract/app/backup.ts';
import { text } from '../../../text/backup-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { bytes, getSecond } from '../../../text/format.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { LedgerFiles } from './ledger-files.tsx';
import { useBackupCalls, useBackups } from './use-backups.ts';

/** Settings → Data & backup: backups and how to restore one. */
export function DataSection() {
  const state = useBackups();
  const { make } = useBackupCalls();
  const { inform, failed } = useNotify();
  const [restoring, setRestoring] = useState<Backup | null>(null);
  const [removing, setRemoving] = useState<Backup | null>(null);
  if (state.isError && !state.data) {
    return <Failure title={text.failed} error={state.error} onRetry={() => void state.refetch()} />;
  }
  if (!state.data) return <SkeletonRows rows={4} label={text.loading} />;
  const { backups, problem, missingFiles, folder, keptDaily, keptWeekly } = state.data;
  const makeNow = () =>
    make.mutate(undefined, {
      onSuccess: () => inform(text.made),
      onError: (error) => failed(text.makeFailed, error),
    });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 pt-2">
        <SettingsHeading className="flex-1">{text.title}</SettingsHeading>
        <Button disabled={make.isPending} onClick={makeNow}>
          {make.isPending ? text.making : text.make}
        </Button>
      </div>
      <p className="mt-1 mb-3 text-fg-2">{text.note(keptDaily, keptWeekly)}</p>
      {problem && <Notice tone="warn">{getSentence(problem)}</Notice>}
      {missingFiles > 0 && <Notice tone="warn">{text.missingFiles(missingFiles)}</Notice>}
      {backups.length === 0 && <p className="py-3 text-fg-3">{text.none}</p>}
      <ul aria-label={text.title} className="my-2 divide-y divide-line">
        {backups.map((backup) => (
          <BackupRow
            key={backup.name}
            backup={backup}
            onRestore={() => setRestoring(backup)}
            onRemove={() => setRemoving(backup)}
          />
        ))}
      </ul>
      <p className="text-fg-3 text-xs">
        {text.folder} <code className="font-mono break-all">{folder}</code>
      </p>
      <LedgerFiles />
      <Dialog open={restoring !== null} onOpenChange={(open) => !open && setRestoring(null)} title={text.restoreTitle}>
        {restoring && <RestoreForm backup={restoring} onDone={() => setRestoring(null)} />}
      </Dialog>
      <Dialog open={removing !== null} onOpenChange={(open) => !open && setRemoving(null)} title={text.removeTitle}>
        {removing && <RemoveForm backup={removing} onDone={() => setRemoving(null)} />}
      </Dialog>
    </>
  );
}

interface BackupRowProps {
  backup: Backup;
  onRestore: () => void;
  onRemove: () => void;
}

function BackupRow({ backup, onRestore, onRemove }: BackupRowProps) {
  const when = getSecond(backup.createdAt);
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-3 py-1.5">
      <span className="min-w-32 flex-1 tabular-nums">{when}</span>
      <Badge>{text.kinds[backup.kind]}</Badge>
      <span className="w-20 text-right text-fg-3 tabular-nums">{bytes(backup.bytes)}</span>
      <Button variant="quiet" aria-label={text.actionFor(text.restore, when)} onClick={onRestore}>
        {text.restore}
      </Button>
      <Button variant="quiet" aria-label={text.actionFor(text.remove, when)} onClick={onRemove}>
        {text.remove}
      </Button>
    </li>
  );
}

function RemoveForm({ backup, onDone }: { backup: Backup; onDone: () => void }) {
  const { remove, putBack } = useBackupCalls();
  const { undoable, failed } = useNotify();
  const onError = (title: string) => (error: Error) => {
    onDone();
    failed(title, error);
  };
  const undo = () => putBack.mutate(backup.name, { onError: (error) => failed(text.putBackFailed, error) });
  const removeNow = () =>
    remove.mutate(backup.name, {
      onSuccess: () => {
        onDone();
        undoable(text.removed, undo);
      },
      onError: onError(text.removeFailed),
    });
  return (
    <>
      <p className="text-fg-2">{text.removeBody(getSecond(backup.createdAt))}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button variant="primary" disabled={remove.isPending} onClick={removeNow}>
          {text.remove}
        </Button>
      </div>
    </>
  );
}

function RestoreForm({ backup, onDone }: { backup: Backup; onDone: () => void }) {
  const { restore } = useBackupCalls();
  const { inform, failed } = useNotify();
  const restoreNow = () =>
    restore.mutate(backup.name, {
      onSuccess: () => {
        onDone();
        inform(text.restored);
      },
      onError: (error) => {
        onDone();
        failed(text.restoreFailed, error);
      },
    });
  return (
    <>
      <p className="text-fg-2">{text.restoreBody(getSecond(backup.createdAt))}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button variant="primary" disabled={restore.isPending} onClick={restoreNow}>
          {text.restore}
        </Button>
      </div>
    </>
  );
}

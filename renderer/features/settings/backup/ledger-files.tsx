import { useState } from 'react';
import type { LedgerBackup, LedgerComparison } from '#shared/contract/app/ledger.ts';
import { useBillingAccount } from '../../../api/use-billing-account.ts';
import { text } from '../../../text/backup-text.ts';
import { bytes, getSecond } from '../../../text/format.ts';
import { text as billingAccountText } from '../../../text/ui-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { MoneyIn } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useLedgerComparison, useLedgerFiles } from './use-ledger-files.ts';

const formats = ['csv', 'json'] as const;

/** The copies of the ledger, and exports with one line of it per row. */
export function LedgerFiles() {
  const { copies, backUp, remove, putBack, restore, save } = useLedgerFiles();
  const [removing, setRemoving] = useState<LedgerBackup | null>(null);
  const [restoring, setRestoring] = useState<LedgerBackup | null>(null);
  const { billingAccount } = useBillingAccount();
  const { inform, undoable, failed } = useNotify();
  const done = () => setRemoving(null);
  const copyNow = () =>
    backUp.mutate(undefined, {
      onSuccess: () => inform(text.ledgerCopied),
      onError: (error) => failed(text.ledgerCopyFailed, error),
    });
  const removeNow = (name: string) =>
    remove.mutate(name, {
      onSuccess: () =>
        undoable(text.ledgerRemoved, () =>
          putBack.mutate(name, { onError: (error) => failed(text.putBackFailed, error) }),
        ),
      onError: (error) => failed(text.removeFailed, error),
      onSettled: done,
    });
  const onRestoreError = (error: Error) => failed(text.ledgerRestoreFailed, error);
  const restoreNow = ({ name, createdAt }: LedgerBackup) =>
    restore.mutate(name, {
      onSuccess({ backups }) {
        const before = backups.find(({ kind }) => kind === 'before-restore');
        if (before)
          undoable(text.ledgerRestored(getSecond(createdAt)), () =>
            restore.mutate(before.name, { onError: onRestoreError }),
          );
      },
      onError: onRestoreError,
      onSettled: () => setRestoring(null),
    });
  return (
    <section aria-label={text.ledgerTitle}>
      <div className="mt-8 flex flex-wrap items-center gap-3">
        <SettingsHeading className="flex-1">{text.ledgerTitle}</SettingsHeading>
        {billingAccount &&
          formats.map((format) => (
            <Button
              key={format}
              disabled={save.isPending}
              onClick={() =>
                save.mutate(
                  { billingAccount: billingAccount.id, format },
                  { onError: (error) => failed(text.exportFailed, error) },
                )
              }
            >
              {text.exportAs(format.toUpperCase())}
            </Button>
          ))}
        <Button disabled={backUp.isPending} onClick={copyNow}>
          {backUp.isPending ? text.ledgerCopying : text.ledgerBackUp}
        </Button>
      </div>
      <p className="mt-1 mb-3 text-fg-2">{text.ledgerNote}</p>
      {copies.isError && !copies.data && (
        <Failure title={text.copiesFailed} error={copies.error} onRetry={() => void copies.refetch()} />
      )}
      {copies.data?.backups.length === 0 && <p className="py-1 text-fg-3">{text.ledgerNone}</p>}
      <ul aria-label={text.ledgerCopies} className="my-2 divide-y divide-line">
        {copies.data?.backups.map((backup) => (
          <li key={backup.name} className="flex min-h-9 flex-wrap items-center gap-3 tabular-nums">
            <span className="min-w-32 flex-1">{getSecond(backup.createdAt)}</span>
            <Badge>{text.kinds[backup.kind]}</Badge>
            <span className="w-20 text-right text-fg-3">{bytes(backup.bytes)}</span>
            <Button
              variant="quiet"
              aria-label={text.actionFor(text.restore, getSecond(backup.createdAt))}
              onClick={() => setRestoring(backup)}
            >
              {text.restore}
            </Button>
            <Button
              variant="quiet"
              aria-label={text.actionFor(text.remove, getSecond(backup.createdAt))}
              onClick={() => setRemoving(backup)}
            >
              {text.remove}
            </Button>
          </li>
        ))}
      </ul>
      {copies.data && copies.data.backups.length > 0 && (
        <p className="text-fg-3 text-xs">
          {text.folder} <code className="font-mono break-all">{copies.data.folder}</code>
        </p>
      )}
      <Dialog
        open={restoring !== null}
        onOpenChange={(open) => !open && setRestoring(null)}
        title={text.ledgerRestoreTitle}
        width="wide"
      >
        {restoring && (
          <RestoreLedger
            copy={restoring}
            restoring={restore.isPending}
            onRestore={() => restoreNow(restoring)}
            onCancel={() => setRestoring(null)}
          />
        )}
      </Dialog>
      <Dialog open={removing !== null} onOpenChange={(open) => !open && done()} title={text.ledgerRemoveTitle}>
        {removing && (
          <>
            <p className="text-fg-2">{text.ledgerRemoveBody(getSecond(removing.createdAt))}</p>
            <div className="mt-4 flex justify-end gap-2">
              <Button onClick={done}>{text.cancel}</Button>
              <Button variant="primary" disabled={remove.isPending} onClick={() => removeNow(removing.name)}>
                {text.remove}
              </Button>
            </div>
          </>
        )}
      </Dialog>
    </section>
  );
}

type Account = LedgerComparison['accounts'][number];

interface RestoreLedgerProps {
  copy: LedgerBackup;
  restoring: boolean;
  onRestore: () => void;
  onCancel: () => void;
}

/** Asks before the ledger is restored from a copy, and lists what will be lost. */
function RestoreLedger({ copy, restoring, onRestore, onCancel }: RestoreLedgerProps) {
  const comparison = useLedgerComparison(copy.name);
  if (comparison.isError && !comparison.data) {
    return <Failure title={text.compareFailed} error={comparison.error} onRetry={() => void comparison.refetch()} />;
  }
  return (
    <>
      <p className="text-fg-2">{text.ledgerRestoreBody(getSecond(copy.createdAt))}</p>
      <div className="my-3">
        {comparison.data ? <WhatGoesBack {...comparison.data} /> : <SkeletonRows rows={3} label={text.comparing} />}
      </div>
      <p className="text-fg-3 text-xs">{text.ledgerRestoreNote}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button disabled={restoring} onClick={onCancel}>
          {text.cancel}
        </Button>
        <Button variant="primary" disabled={!comparison.data || restoring} onClick={onRestore}>
          {restoring ? text.ledgerRestoring : text.restore}
        </Button>
      </div>
    </>
  );
}

function WhatGoesBack({ accounts, lostKeys }: LedgerComparison) {
  return (
    <>
      <Table
        label={text.ledgerCompared}
        columns={[{ name: text.account }, { name: text.inCopy, amount: true }, { name: text.now, amount: true }]}
      >
        {accounts.map((account, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
          <tr key={index}>
            <th scope="row" className={`${tableCell} max-w-40 truncate text-left font-normal`}>
              {getName(account)}
            </th>
            <Sums account={account} sums={account.copy} />
            <Sums account={account} sums={account.present} />
          </tr>
        ))}
      </Table>
      {lostKeys.length > 0 && (
        <Notice tone="warn">{text.lostKeys(lostKeys.map((label) => label ?? text.unnamedKey))}</Notice>
      )}
    </>
  );
}

function Sums({ account, sums }: { account: Account; sums: Account['copy'] }) {
  return (
    <td className={`${tableCell} py-1.5 text-right`}>
      {sums === null ? (
        <span className="text-fg-3">{text.notThere}</span>
      ) : (
        <>
          {text.requests(sums.requests)}
          <br />
          <MoneyIn text={text.spent} amount={sums.spentUsd} />
          {account.billingAccount !== 'main' && (
            <>
              <br />
              <MoneyIn text={text.left} amount={sums.balanceUsd} />
            </>
          )}
        </>
      )}
    </td>
  );
}

function getName({ billingAccount, name }: Account): string {
  if (billingAccount === null) return name;
  return billingAccount === 'main' ? billingAccountText.ownKeys : billingAccountText.testCredits;
}

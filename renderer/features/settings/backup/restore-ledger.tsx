import type { LedgerBackup, LedgerComparison } from '#shared/contract/app/ledger.ts';
import { text } from '../../../text/backup-text.ts';
import { getSecond } from '../../../text/format.ts';
import { text as billingAccountText } from '../../../text/ui-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { MoneyIn } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useLedgerComparison } from './use-ledger-files.ts';

type Account = LedgerComparison['accounts'][number];

interface RestoreLedgerProps {
  copy: LedgerBackup;
  restoring: boolean;
  onRestore: () => void;
  onCancel: () => void;
}

/** Asks before the ledger goes back to a copy, and says what goes with it. */
export function RestoreLedger({ copy, restoring, onRestore, onCancel }: RestoreLedgerProps) {
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
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name, and they are read once
          <tr key={index}>
            <th scope="row" className={`${tableCell} max-w-40 truncate text-left font-normal`}>
              {getName(account)}
            </th>
            <Sums of={account} sums={account.copy} />
            <Sums of={account} sums={account.present} />
          </tr>
        ))}
      </Table>
      {lostKeys.length > 0 && (
        <Notice tone="warn">{text.lostKeys(lostKeys.map((label) => label ?? text.unnamedKey))}</Notice>
      )}
    </>
  );
}

function Sums({ of, sums }: { of: Account; sums: Account['copy'] }) {
  return (
    <td className={`${tableCell} py-1.5 text-right`}>
      {sums === null ? (
        <span className="text-fg-3">{text.notThere}</span>
      ) : (
        <>
          {text.requests(sums.requests)}
          <br />
          <MoneyIn text={text.spent} amount={sums.spentUsd} />
          {of.billingAccount !== 'main' && (
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

import { useState } from 'react';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { share } from '../../../text/format.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Money } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { ExplainButton, getName, RequestName } from './open-table.tsx';
import { text } from './reconciliation-text.ts';
import { useDrift } from './use-reconciliation.ts';

const pageSize = 20;

/** Requests whose cost differs from the price of that day. */
export function DriftTable({ billingAccount }: { billingAccount: BillingAccount }) {
  const [limit, setLimit] = useState(pageSize);
  const drift = useDrift(billingAccount, limit);
  if (!drift.data) {
    return drift.isError ? (
      <Failure title={text.driftFailed} error={drift.error} onRetry={() => void drift.refetch()} />
    ) : (
      <SkeletonRows rows={2} label={text.driftLoading} />
    );
  }
  const { rows, count, checked } = drift.data;
  if (count === 0) return <p className="py-2 text-fg-2">{text.driftNone(checked)}</p>;
  const { driftColumns, columns } = text;
  return (
    <>
      <Notice tone="warn">{text.driftSome(count, checked)}</Notice>
      <Table
        label={text.drift}
        columns={[
          { name: columns.what },
          { name: driftColumns.billed, amount: true },
          { name: driftColumns.expected, amount: true },
          { name: driftColumns.off, amount: true },
          { name: columns.action, amount: true },
        ]}
      >
        {rows.map((row) => (
          <tr key={row.requestId}>
            <td className={`${tableCell} w-full min-w-56 py-2 whitespace-normal!`}>
              <RequestName row={row} />
            </td>
            <td className={`${tableCell} text-right`}>
              <Money amount={row.billedUsd} />
            </td>
            <td className={`${tableCell} text-right`}>
              <Money amount={row.expectedUsd} />
            </td>
            <td
              className={`${tableCell} text-right`}
            >{`${row.perMille > 0 ? '+' : ''}${share(row.perMille / 1000)}`}</td>
            <td className={`${tableCell} text-right`}>
              {row.requestId !== null && (
                <ExplainButton billingAccount={billingAccount} requestId={row.requestId} what={getName(row)} />
              )}
            </td>
          </tr>
        ))}
      </Table>
      {rows.length < count && limit < 200 && (
        <Button className="mt-3" onClick={() => setLimit(Math.min(200, limit + pageSize))}>
          {text.more}
        </Button>
      )}
    </>
  );
}

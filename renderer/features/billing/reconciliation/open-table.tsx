import type { OpenRow, Reconciliation } from '#shared/contract/app/reconciliation.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { formatMoment } from '../../../text/format.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Money } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { text } from './reconciliation-text.ts';
import { useReconciliationCalls } from './use-reconciliation.ts';

interface OpenTableProps {
  billingAccount: BillingAccount;
  found: Reconciliation;
  /** Null: no more rows can be shown at once. */
  onMore: (() => void) | null;
}

/** The mismatches, each explained, with one action that settles it. */
export function OpenTable({ billingAccount, found, onMore }: OpenTableProps) {
  const { openRows, openCount } = found;
  if (openCount === 0) return <p className="py-2 text-fg-2">{nothingOpen(found)}</p>;
  const { columns } = text;
  return (
    <>
      <Table
        label={text.open}
        columns={[
          { name: columns.what },
          { name: columns.chatAmount, amount: true },
          { name: columns.ledgerAmount, amount: true },
          { name: columns.action, amount: true },
        ]}
      >
        {openRows.map((row) => (
          <tr key={`${row.kind}/${row.spendId}/${row.requestId}`}>
            <td className={`${tableCell} w-full min-w-64 py-2 whitespace-normal!`}>
              <RequestName row={row} />
              <span className="block text-fg-2 text-xs">{text.reasons[row.kind]}</span>
            </td>
            <td className={`${tableCell} text-right`}>
              <Money amount={row.reportedUsd} />
            </td>
            <td className={`${tableCell} text-right`}>
              <Money amount={row.bookedUsd} />
            </td>
            <td className={`${tableCell} text-right`}>
              <RowAction billingAccount={billingAccount} row={row} />
            </td>
          </tr>
        ))}
      </Table>
      {openRows.length < openCount && (
        <div className="mt-3 flex items-center gap-3 text-fg-3 text-xs">
          {onMore && <Button onClick={onMore}>{text.more}</Button>}
          <span>{text.shown(openRows.length, openCount)}</span>
        </div>
      )}
    </>
  );
}

type Named = Pick<OpenRow, 'at' | 'name' | 'title' | 'conversationId' | 'messageId' | 'requestId'>;

export const getName = ({ name, title }: Pick<Named, 'name' | 'title'>): string => name ?? title ?? text.unnamed;

/** The model, chat, time and id of a request. */
export function RequestName({ row }: { row: Named }) {
  const { at, title, conversationId, messageId, requestId } = row;
  return (
    <>
      <span className="font-medium">{getName(row)}</span>{' '}
      {title !== null && conversationId !== null && (
        <Link
          to={{ page: 'chat', conversationId, ...(messageId === null ? {} : { messageId }) }}
          className="text-fg-2 underline decoration-line underline-offset-2 hover:text-fg"
        >
          {title}
        </Link>
      )}
      <span className="block text-fg-3 text-xs">
        {formatMoment(at)} {requestId !== null && <code className="font-mono wrap-anywhere">{requestId}</code>}
      </span>
    </>
  );
}

function RowAction({ billingAccount, row }: { billingAccount: BillingAccount; row: OpenRow }) {
  const { lookUp } = useReconciliationCalls(billingAccount);
  const { inform, failed } = useNotify();
  const { kind, requestId } = row;
  if (kind === 'cost_open' || kind === 'cost_differs')
    return (
      <Button
        disabled={lookUp.isPending}
        aria-label={text.actionFor(text.lookUp, getName(row))}
        onClick={() =>
          lookUp.mutate(row, {
            onSuccess: ({ found }) => inform(found ? text.lookedUp : text.notFound),
            onError: (error) => failed(text.lookUpFailed, error),
          })
        }
      >
        {text.lookUp}
      </Button>
    );
  return (
    requestId !== null && <ExplainButton billingAccount={billingAccount} requestId={requestId} what={getName(row)} />
  );
}

/** Marks a request as explained, with an undo. */
export function ExplainButton({
  billingAccount,
  requestId,
  what,
}: {
  billingAccount: BillingAccount;
  requestId: string;
  what: string;
}) {
  const { mark } = useReconciliationCalls(billingAccount);
  const { undoable, failed } = useNotify();
  const onError = (error: Error) => failed(text.markFailed, error);
  const explain = () =>
    mark.mutate(
      { requestId, explained: true },
      {
        onSuccess: () => undoable(text.marked, () => mark.mutate({ requestId, explained: false }, { onError })),
        onError,
      },
    );
  return (
    <Button disabled={mark.isPending} aria-label={text.actionFor(text.explain, what)} onClick={explain}>
      {text.explain}
    </Button>
  );
}

const nothingOpen = ({ part, sums }: Reconciliation): string => {
  if (part) return text.nothingOpenYet;
  return sums.ledgerUsd === null ? text.nothingOpenInRecords : text.nothingOpen;
};

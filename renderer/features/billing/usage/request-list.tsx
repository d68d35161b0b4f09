import type { UsageLine } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { text as credits } from '../../../text/credits-text.ts';
import { count, momentIn } from '../../../text/format.ts';
import { text as dialog } from '../../../text/ui-text.ts';
import { text } from '../../../text/usage-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Money } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { type Bar, useRequests } from './use-usage.ts';

interface RequestListProps {
  billingAccount: BillingAccount;
  title: string;
  bar: Bar;
  onClose: () => void;
}

/** The requests behind a bar, each with the message that it was for. */
export function RequestList({ billingAccount, title, bar, onClose }: RequestListProps) {
  return (
    <Dialog open onOpenChange={onClose} title={title} width="picture">
      <Requests billingAccount={billingAccount} bar={bar} onClose={onClose} />
      <div className="sticky -bottom-5 -mx-5 mt-4 -mb-5 flex justify-end border-line border-t bg-raised px-5 py-3">
        <Button onClick={onClose}>{dialog.close}</Button>
      </div>
    </Dialog>
  );
}

function Requests({ billingAccount, bar, onClose }: Omit<RequestListProps, 'title'>) {
  const requests = useRequests(billingAccount, bar);
  const { lines: words } = text;
  if (requests.isError && !requests.data)
    return (
      <NotRead
        title={words.failed}
        notReported={words.notReported}
        error={requests.error}
        onRetry={() => void requests.refetch()}
      />
    );
  if (!requests.data)
    return (
      <div role="status" aria-label={words.loading}>
        <Skeleton className="h-64 w-[48rem] max-w-full" />
      </div>
    );
  const lines = requests.data.pages.flatMap(({ data }) => data);
  if (lines.length === 0 && !requests.hasNextPage) return <p className="text-fg-2">{words.none}</p>;
  const { columns } = words;
  return (
    <>
      <Stale error={requests.error} readAt={requests.dataUpdatedAt} />
      <Table
        label={columns.what}
        columns={[
          { name: columns.time, wideOnly: true },
          { name: columns.what },
          { name: columns.tokens, amount: true, wideOnly: true },
          { name: columns.cost, amount: true },
        ]}
      >
        {lines.map((line) => (
          <tr key={line.id} title={line.id}>
            <td className={`${tableCell} text-fg-2 max-sm:hidden`}>{momentIn(bar.period.zone, line.created * 1000)}</td>
            <td className={`${tableCell} w-full max-w-md truncate max-sm:max-w-0 max-sm:py-2`}>
              <What line={line} onOpen={onClose} />
              <span className="block text-fg-3 text-xs sm:hidden">
                {momentIn(bar.period.zone, line.created * 1000)}
              </span>
            </td>
            <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>
              {count(line.prompt_tokens)} / {count(line.completion_tokens)}
            </td>
            <td className={`${tableCell} text-right`}>
              <Money amount={line.cost_usd} />
              {words.provenance[line.provenance] && line.provenance !== 'unknown' && (
                <span className="block text-fg-3 text-xs">{words.provenance[line.provenance]}</span>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {requests.hasNextPage && (
        <Button className="mt-3" disabled={requests.isFetchingNextPage} onClick={() => void requests.fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </>
  );
}

/** What a request was for: its model, and the chat and message that sent it, or another program. */
function What({ line, onOpen }: { line: UsageLine; onOpen: () => void }) {
  const { use, status, error_code: code } = line;
  const chat = use && { page: 'chat' as const, conversationId: use.conversationId };
  return (
    <>
      {line.name ?? line.model ?? '—'}{' '}
      {use && chat ? (
        <>
          <span className="text-fg-3">{credits.uses[use.purpose] ?? credits.uses.chat}</span>{' '}
          <Link
            to={use.messageId === null ? chat : { ...chat, messageId: use.messageId }}
            onClick={onOpen}
            className="text-fg-2 underline decoration-line underline-offset-2 hover:text-fg"
          >
            {use.title}
          </Link>
        </>
      ) : (
        <span className="text-fg-3">{text.lines.elsewhere}</span>
      )}
      {status !== 'succeeded' && (
        <>
          {' '}
          <Badge>{(code && text.failureWords[code]) ?? text.statuses[status] ?? status}</Badge>
        </>
      )}
    </>
  );
}

import type { ConversationTotal as Total } from '#shared/contract/common/bills.ts';
import { costsText as text } from '../../text/costs-text.ts';
import { usd } from '../../text/format.ts';
import { Popover } from '../../ui/dialogs/popover.tsx';
import { Amounts } from '../../ui/elements/amounts.tsx';

/** The cost of this chat so far, as in the ledger; unknown costs are named, not counted as zero. */
export function ConversationTotal({ total }: { total: Total }) {
  if (total.requests === 0) return null;
  const lines = [
    ...(total.usd === '0' && total.testCreditsUsd !== '0'
      ? []
      : [{ name: text.totalReal, amount: usd(total.usd), strong: true }]),
    ...(total.testCreditsUsd === '0'
      ? []
      : [{ name: text.totalTest, amount: usd(total.testCreditsUsd), strong: true }]),
    ...total.auxiliary.map((entry) => ({
      name: text.ofWhich(text.purposes[entry.purpose] ?? entry.purpose),
      note: String(entry.requests),
      amount: usd(entry.usd),
    })),
  ];
  return (
    <Popover
      title={text.totalTitle}
      side="bottom"
      trigger={
        <button
          type="button"
          aria-label={`${text.totalTitle}: ${summaryOf(total)}`}
          className="shrink-0 rounded-tag px-1.5 py-0.5 text-fg-3 text-xs tabular-nums hover:bg-hover hover:text-fg"
        >
          {summaryOf(total)}
        </button>
      }
    >
      <Amounts label={text.totalTitle} lines={lines} />
      <ul className="mt-2 list-disc space-y-1 pl-4 text-fg-2 text-xs">
        <li>{text.totalRequests(total.requests)}</li>
        {total.unknown > 0 && <li>{text.totalUnknown(total.unknown)}</li>}
        {total.notBilled > 0 && <li>{text.totalNotBilled(total.notBilled)}</li>}
        <li>{text.totalDeleted}</li>
      </ul>
    </Popover>
  );
}

function summaryOf({ usd: real, testCreditsUsd, unknown }: Total): string {
  const amounts = [
    ...(real === '0' && testCreditsUsd !== '0' ? [] : [usd(real)]),
    ...(testCreditsUsd === '0' ? [] : [text.inTestCredits(usd(testCreditsUsd))]),
  ];
  return `${amounts.join(' + ')}${unknown > 0 ? text.andUnknown(unknown) : ''}`;
}

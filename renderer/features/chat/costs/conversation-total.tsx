import type { ConversationTotal as Total } from '#shared/contract/common/bills.ts';
import { costsText as text } from '../../../text/costs-text.ts';
import { usd } from '../../../text/format.ts';
import { Popover } from '../../../ui/dialogs/popover.tsx';
import { Amounts } from '../../../ui/elements/amounts.tsx';
import { Money, MoneyIn } from '../../../ui/elements/money.tsx';

/** The cost of this chat so far, as in the ledger; unknown costs are named, not counted as zero. */
export function ConversationTotal({ total }: { total: Total }) {
  if (total.requests === 0) return null;
  const { money, testCredits } = getAmounts(total);
  const lines = [
    ...(money === null ? [] : [{ name: text.totalReal, amount: usd(money), strong: true }]),
    ...(testCredits === null ? [] : [{ name: text.totalTest, amount: usd(testCredits), strong: true }]),
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
          aria-label={`${text.totalTitle}: ${getSummary(total)}`}
          className="shrink-0 rounded-tag px-1.5 py-0.5 text-fg-3 text-xs tabular-nums hover:bg-hover hover:text-fg"
        >
          <Summary total={total} />
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

function Summary({ total }: { total: Total }) {
  const { money, testCredits } = getAmounts(total);
  return (
    <>
      {money !== null && <Money amount={money} />}
      {money !== null && testCredits !== null && ' + '}
      {testCredits !== null && <MoneyIn text={text.inTestCredits} amount={testCredits} />}
      {total.unknown > 0 && unknownWords(total)}
    </>
  );
}

/** The same in words. */
function getSummary(total: Total): string {
  const { money, testCredits } = getAmounts(total);
  const amounts = [
    ...(money === null ? [] : [usd(money)]),
    ...(testCredits === null ? [] : [text.inTestCredits(usd(testCredits))]),
  ];
  return `${amounts.join(' + ')}${total.unknown > 0 ? unknownWords(total) : ''}`;
}

function unknownWords(total: Total): string {
  const { money, testCredits } = getAmounts(total);
  return money === null && testCredits === null ? text.onlyUnknown(total.unknown) : text.andUnknown(total.unknown);
}

/**
 * What is named: money unless only simulated models were asked or nobody knows a cost, and test credits where they cost some, or
 * only simulated models were asked.
 */
function getAmounts({ usd: money, testCreditsUsd, testRequests, unknown }: Total) {
  const onlyTest = money === '0' && testRequests > 0;
  return {
    money: onlyTest || (money === '0' && unknown > 0) ? null : money,
    testCredits: onlyTest || testCreditsUsd !== '0' ? testCreditsUsd : null,
  };
}

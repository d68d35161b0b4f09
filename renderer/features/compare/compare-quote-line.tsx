import type { ComparisonQuote } from '#shared/contract/chat/comparisons.ts';
import { text as chatText } from '../../text/chat-text.ts';
import { compareText as text } from '../../text/compare-text.ts';
import { costsText } from '../../text/costs-text.ts';
import { usd } from '../../text/format.ts';
import { Popover } from '../../ui/dialogs/popover.tsx';
import { Amounts } from '../../ui/elements/amounts.tsx';

type Range = NonNullable<ComparisonQuote['costUsd']>;

/** The estimated cost of all columns as a range. Unknown costs are named, never $0. */
export function CompareQuoteLine({ quote }: { quote: ComparisonQuote }) {
  const { columns, costUsd, testCreditsUsd, unknown } = quote;
  return (
    <Popover
      title={text.quoteTitle}
      trigger={
        <button type="button" className="min-w-0 truncate rounded-tag tabular-nums hover:text-fg">
          {sumWords(quote)} {text.quoteFor(columns.length)}
        </button>
      }
    >
      <p className="mb-2 text-fg-2 text-xs">{text.quoteBand}</p>
      <Amounts
        label={text.quoteTitle}
        lines={[
          ...columns.map((column) => ({
            name: column.quote.modelName,
            ...(column.quote.simulated ? { note: chatText.simulated } : {}),
            amount: column.quote.costUsd ? range(column.quote.costUsd) : text.unknown,
          })),
          ...sumLines(costUsd, text.quoteSum, text.quoteMost),
          ...sumLines(testCreditsUsd, text.quoteSumTest, text.quoteMostTest),
        ]}
      />
      {unknown > 0 && <p className="mt-2 text-fg-2 text-xs">{text.quoteUnknown(unknown)}</p>}
    </Popover>
  );
}

const range = ({ low, high }: Range): string => `${usd(low)}–${usd(high).replace('$', '')}`;

const sumLines = (sum: Range | null, least: string, most: string) =>
  sum
    ? [
        { name: least, amount: usd(sum.low) },
        { name: most, amount: usd(sum.high), strong: true },
      ]
    : [];

/** Money, then test credits, then unknown costs. */
function sumWords({ costUsd, testCreditsUsd, unknown }: ComparisonQuote): string {
  const parts = [
    ...(costUsd ? [`≈ ${range(costUsd)}`] : []),
    ...(testCreditsUsd
      ? [costUsd ? costsText.inTestCredits(range(testCreditsUsd)) : `≈ ${range(testCreditsUsd)}`]
      : []),
  ];
  if (parts.length === 0) return costsText.quoteUnknown;
  return parts.join(' + ') + (unknown > 0 ? costsText.andUnknown(unknown) : '');
}

import type { ComparisonQuote } from '#shared/contract/comparisons.ts';
import { usd } from '../../lib/format.ts';
import { Amounts } from '../../ui/amounts.tsx';
import { Popover } from '../../ui/popover.tsx';
import { compareText as text } from './compare-text.ts';
import { text as chatText } from './text.ts';

type Range = NonNullable<ComparisonQuote['costUsd']>;

/** What all answers together would cost: the sum of the columns, as a range. What is unknown is said, and is no $0. */
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

/** Money first, then test credits, then what nobody knows. */
function sumWords({ costUsd, testCreditsUsd, unknown }: ComparisonQuote): string {
  const parts = [
    ...(costUsd ? [`≈ ${range(costUsd)}`] : []),
    ...(testCreditsUsd ? [costUsd ? chatText.inTestCredits(range(testCreditsUsd)) : `≈ ${range(testCreditsUsd)}`] : []),
  ];
  if (parts.length === 0) return chatText.quoteUnknown;
  return parts.join(' + ') + (unknown > 0 ? chatText.andUnknown(unknown) : '');
}

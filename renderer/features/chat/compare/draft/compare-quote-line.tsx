import type { ComparisonQuote } from '#shared/contract/chat/comparisons.ts';
import { text as chatText } from '../../../../text/chat-text.ts';
import { compareText as text } from '../../../../text/compare-text.ts';
import { costsText } from '../../../../text/costs-text.ts';
import { usd } from '../../../../text/format.ts';
import { Popover } from '../../../../ui/dialogs/popover.tsx';
import { Amounts } from '../../../../ui/elements/amounts.tsx';
import { aboutUsd } from '../../costs/quote-line.tsx';

type Range = NonNullable<ComparisonQuote['costUsd']>;

/** The expected cost of all columns and its upper bound. Unknown costs are shown as unknown, never as $0. */
export function CompareQuoteLine({ quote }: { quote: ComparisonQuote }) {
  const { columns, costUsd, testCreditsUsd, expectedUsd, expectedTestCreditsUsd, unknown } = quote;
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
            amount: column.quote.costUsd
              ? aboutUsd(column.quote.expected?.usd ?? null, column.quote.costUsd.high, column.quote.openEnded)
              : text.unknown,
          })),
          ...sumLines(costUsd, expectedUsd, text.sumOfMoney),
          ...sumLines(testCreditsUsd, expectedTestCreditsUsd, text.sumOfTestCredits),
        ]}
      />
      {unknown > 0 && <p className="mt-2 text-fg-2 text-xs">{text.quoteUnknown(unknown)}</p>}
    </Popover>
  );
}

interface SumNames {
  readonly least: string;
  readonly expected: string;
  readonly most: string;
}

const sumLines = (sum: Range | null, expected: string | null, names: SumNames) =>
  sum
    ? [
        { name: names.least, amount: usd(sum.low) },
        ...(expected ? [{ name: names.expected, amount: usd(expected) }] : []),
        { name: names.most, amount: usd(sum.high), strong: true },
      ]
    : [];

/** The sum as text: money first, then test credits, then the number of unknown costs. */
function sumWords(quote: ComparisonQuote): string {
  const { columns, costUsd, testCreditsUsd, expectedUsd, expectedTestCreditsUsd, unknown } = quote;
  const open = columns.some((column) => column.quote.openEnded);
  const money = costUsd && aboutUsd(expectedUsd, costUsd.high, open);
  const testCredits = testCreditsUsd && aboutUsd(expectedTestCreditsUsd, testCreditsUsd.high, open);
  const parts = [
    ...(money ? [money] : []),
    ...(testCredits ? [money ? costsText.inTestCredits(testCredits) : testCredits] : []),
  ];
  if (parts.length === 0) return costsText.quoteUnknown;
  return parts.join(' + ') + (unknown > 0 ? costsText.andUnknown(unknown) : '');
}

import type { CapState } from '#shared/contract/chat/caps.ts';
import type { ComparisonQuote } from '#shared/contract/chat/comparisons.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Upper } from '../../request/admission.ts';
import type { Ask } from './quotes-feature.ts';

export interface ComparisonQuotesDeps {
  readonly getQuote: (ask: Ask, signal: AbortSignal | undefined) => Promise<Quote>;
  /** The columns that the branch ends in, each with the end of its own branch. */
  readonly columnsAt: (conversationId: string) => Promise<{ model: string; leafId: string }[]>;
  readonly capStates: (conversationId: string | null, uppers: readonly Upper[]) => Promise<CapState[]>;
}

/** The quote of a comparison: each model’s quote, and the sum of those that are known. */
export function comparisonQuotes({ getQuote, columnsAt, capStates }: ComparisonQuotesDeps) {
  return async function quote(
    { models, ...ask }: Omit<Ask, 'model'> & { readonly models?: readonly string[] | undefined },
    signal: AbortSignal | undefined,
  ): Promise<ComparisonQuote> {
    const asked = models?.map((model) => ({ model })) ?? (await columnsAt(ask.conversationId ?? ''));
    const columns = await Promise.all(
      asked.map(async (column) => ({ model: column.model, quote: await getQuote({ ...ask, ...column }, signal) })),
    );
    const quotes = columns.map((column) => column.quote);
    const paid = quotes.filter(({ simulated }) => !simulated);
    const inTestCredits = quotes.filter(({ simulated }) => simulated);
    const costUsd = getSum(paid);
    return {
      columns,
      costUsd,
      testCreditsUsd: getSum(inTestCredits),
      expectedUsd: getExpected(paid),
      expectedTestCreditsUsd: getExpected(inTestCredits),
      unknown: quotes.filter((quote) => quote.costUsd === null).length,
      caps: costUsd ? await capStates(ask.conversationId, getUppers(columns)) : [],
    };
  };
}

/** The sum of what those of a known price will probably cost; null where that of one of them is not known. */
function getExpected(quotes: readonly Quote[]): string | null {
  const known = quotes.filter(({ costUsd }) => costUsd !== null);
  const amounts = known.flatMap(({ expected }) => (expected ? parseUsd(expected.usd) : []));
  if (known.length === 0 || amounts.length < known.length) return null;
  return formatUsd(nanoUsd(amounts.reduce((total, amount) => total + amount, 0n)));
}

const getUppers = (columns: readonly { readonly model: string; readonly quote: Quote }[]): Upper[] =>
  columns.flatMap(({ model, quote: { simulated, costUsd } }) =>
    costUsd && !simulated ? [{ model, upper: parseUsd(costUsd.high) }] : [],
  );

/** The sum of the known ranges; null if none is known, never $0 for unknown. */
function getSum(quotes: readonly Quote[]): { low: string; high: string } | null {
  const known = quotes.flatMap(({ costUsd }) => costUsd ?? []);
  if (known.length === 0) return null;
  const sum = (end: 'low' | 'high') =>
    formatUsd(nanoUsd(known.reduce((total, range) => total + parseUsd(range[end]), 0n)));
  return { low: sum('low'), high: sum('high') };
}

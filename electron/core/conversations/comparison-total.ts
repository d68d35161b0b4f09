import type { ComparisonTotal, Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';

type Cost = Pick<Message, 'status' | 'simulated' | 'costUsd' | 'costSource'> & { readonly column: number };

/** The total of each comparison among these answers, which are in order of arrival and have the sums of their parts. */
export function comparisonTotals(answers: readonly Message[]): ComparisonTotal[] {
  const shown = new Map<string, Map<number, Message>>();
  for (const answer of answers) {
    if (!answer.comparison) continue;
    const { id, column } = answer.comparison;
    const columns = shown.get(id) ?? new Map<number, Message>();
    shown.set(id, columns);
    // A retry replaces the column; a part that continues another answer does not.
    if (!answer.continues || columns.get(column)?.id === answer.parentId) columns.set(column, answer);
  }
  return [...shown].map(([id, columns]) => ({ id, ...totalOf([...columns].map(costOf)) }));
}

const costOf = ([column, { status, simulated, costUsd, costSource, sum }]: [number, Message]): Cost => ({
  status,
  simulated,
  column,
  ...(sum ? { costUsd: sum.costUsd, costSource: sum.costSource } : { costUsd, costSource }),
});

function totalOf(columns: readonly Cost[]): Omit<ComparisonTotal, 'id'> {
  const ended = columns.filter(({ status }) => status !== 'streaming');
  const known = ended.flatMap((cost) => {
    const usd = knownCost(cost);
    return usd === null ? [] : [{ usd, simulated: cost.simulated }];
  });
  const sum = (simulated: boolean) => {
    const paid = known.filter((cost) => cost.simulated === simulated);
    return paid.length === 0 ? null : formatUsd(nanoUsd(paid.reduce((total, { usd }) => total + usd, 0n)));
  };
  return {
    usd: sum(false),
    testCreditsUsd: sum(true),
    unknown: ended.length - known.length,
    cheapest: ended.length === columns.length ? cheapestOf(ended) : null,
  };
}

const knownCost = ({ costUsd, costSource }: Cost): bigint | null =>
  costUsd === null || costSource === 'unknown' ? null : parseUsd(costUsd);

/**
 * Only complete answers count. Null if a cost is unknown, since it might be the lowest, if test credits and money are
 * mixed, or if two are equal.
 */
function cheapestOf(ended: readonly Cost[]): number | null {
  const done = ended.filter(({ status }) => status === 'done');
  const costs = done.flatMap((cost) => {
    const usd = knownCost(cost);
    return usd === null ? [] : [{ usd, column: cost.column }];
  });
  if (done.length < 2 || costs.length < done.length || new Set(done.map(({ simulated }) => simulated)).size > 1)
    return null;
  const [least, next] = costs.toSorted((a, b) => (a.usd < b.usd ? -1 : 1));
  return least && least.usd !== next?.usd ? least.column : null;
}

import type { ComparisonTotal, Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { type ColumnParts, getColumns } from './message-store.ts';

type Cost = Pick<Message, 'status' | 'simulated' | 'costUsd' | 'costSource'> & { readonly column: number };

/**
 * Returns the total of each comparison among these answers. The answers must be in order of arrival and have the sums
 * of their parts.
 */
export function comparisonTotals(answers: readonly Message[]): ComparisonTotal[] {
  const comparisons = Map.groupBy(answers, ({ comparison }) => comparison?.id ?? null);
  return [...comparisons].flatMap(([id, compared]) =>
    id === null ? [] : { id, ...getTotal([...getColumns(compared)].map(getCost)) },
  );
}

function getCost([column, parts]: [number, ColumnParts]): Cost {
  const { status, simulated, costUsd, costSource, sum } = parts.at(-1) ?? parts[0];
  return {
    status,
    simulated,
    column,
    ...(sum ? { costUsd: sum.costUsd, costSource: sum.costSource } : { costUsd, costSource }),
  };
}

function getTotal(columns: readonly Cost[]): Omit<ComparisonTotal, 'id'> {
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
    cheapest: ended.length === columns.length ? getCheapest(ended) : null,
  };
}

const knownCost = ({ costUsd, costSource }: Cost): bigint | null =>
  costUsd === null || costSource === 'unknown' ? null : parseUsd(costUsd);

/**
 * Returns the column with the lowest cost among the complete answers. Null if a cost is unknown, because it might be
 * the lowest, if test credits and money are mixed, or if the two lowest are equal.
 */
function getCheapest(ended: readonly Cost[]): number | null {
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

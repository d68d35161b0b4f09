import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { SpendStore } from './spend-store.ts';

type Row = Awaited<ReturnType<SpendStore['rows']>>[number];

/** Sums requests; one without a cost counts as unknown, never as $0. */
export function getTotal(
  rows: readonly Pick<Row, 'purpose' | 'simulated' | 'cost_usd' | 'cost_source'>[],
): ConversationTotal {
  const sum = (of: typeof rows) => usd(of.reduce((total, { cost_usd }) => total + parseUsd(cost_usd ?? '0'), 0n));
  const isTest = (row: (typeof rows)[number]) => row.simulated === 1;
  const known = rows.filter((row) => row.cost_usd !== null);
  const groups = Map.groupBy(
    rows.filter((row) => row.purpose !== 'chat'),
    (row) => `${row.purpose} ${row.simulated}`,
  );
  return {
    usd: sum(known.filter((row) => !isTest(row))),
    testCreditsUsd: sum(known.filter(isTest)),
    requests: rows.length,
    testRequests: rows.filter(isTest).length,
    unknown: rows.length - known.length,
    notBilled: known.filter((row) => row.cost_source !== 'billed').length,
    auxiliary: [...groups.values()].map((group) => ({
      purpose: group[0]?.purpose ?? '',
      requests: group.length,
      usd: sum(group),
      testCredits: group[0] ? isTest(group[0]) : false,
    })),
  };
}

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

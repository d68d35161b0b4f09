import type { UsageReport } from '#shared/contract/app/wallets.ts';
import { saveFile } from '../../browser/save-file.ts';
import type { Grouping } from './series.ts';

const counters = [
  'requests',
  'succeeded',
  'failed',
  'cancelled',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'total_tokens',
  'cost_usd',
  'byok_requests',
  'byok_upstream_cost_usd',
] as const;

/**
 * Usage by group as CSV (RFC 4180): the gateway’s own field names, exact amounts, and the period (UTC days, both
 * included) in each row.
 */
export function usageCsv({ data }: Pick<UsageReport, 'data'>, groupBy: Grouping, days: readonly string[]): string {
  const by =
    groupBy === 'model'
      ? (['provider', 'model', 'name'] as const)
      : groupBy === 'key'
        ? (['key', 'name'] as const)
        : ([groupBy] as const);
  const head = ['first_day', 'last_day', ...by, ...counters];
  const rows = data.map((bucket) => [
    days[0] ?? '',
    days.at(-1) ?? '',
    ...by.map((field) => unlikeFormula(bucket[field] ?? '')),
    ...counters.map((field) => String(bucket[field] ?? '')),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

export function saveUsageCsv(report: UsageReport, groupBy: Grouping, days: readonly string[]): void {
  const blob = new Blob([usageCsv(report, groupBy, days)], { type: 'text/csv;charset=utf-8' });
  saveFile(blob, `portico-usage-${groupBy}-${days[0]}-${days.at(-1)}.csv`);
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A spreadsheet runs what begins like a formula, and a server chooses the names of its models (OWASP, CSV injection). */
const unlikeFormula = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

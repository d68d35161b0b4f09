import type { LedgerCheck, LedgerReport } from '../ledger/check-ledger.ts';
import type { GatewayCommand } from './gateway-command.ts';

export function define(program: GatewayCommand): void {
  program
    .command('ledger')
    .description('the books as a whole')
    .command('verify')
    .description('proves that the books are exact; exit code 1 where they are not')
    .example('gateway ledger verify --db gateway.db && echo exact')
    .operates(async (operator) => {
      const report = await operator.checkLedger();
      return { lines: [...report.checks.flatMap(checkLines), ...sumLines(report)], json: report, failed: !report.ok };
    });
}

/** Returns the sums, and the checks that found something. */
export const reportLines = (report: LedgerReport): string[] => [
  ...report.checks.filter(({ problems }) => problems.length > 0).flatMap(checkLines),
  ...sumLines(report),
];

const checkLines = ({ name, checked, problems, more }: LedgerCheck): string[] => [
  `${problems.length === 0 ? 'ok   ' : 'WRONG'}  ${name}  (${checked} checked)`,
  ...problems.map(({ where, expected, found }) => `         ${where}: expected ${expected}, found ${found}`),
  ...(more > 0 ? [`         and ${more} more`] : []),
];

const sumLines = ({ ok, sums }: LedgerReport): string[] => [
  `accounts ${sums.accounts}, requests ${sums.requests}, ledger entries ${sums.entries}`,
  `granted $${sums.granted_usd}, used $${sums.used_usd}, balance $${sums.balance_usd}, held $${sums.held_usd}`,
  `running requests ${sums.running}, of them without a sign of life ${sums.abandoned}`,
  ok ? 'The books are exact.' : 'The books are NOT exact.',
];

import { counted } from './format.ts';
import { words } from './language.ts';

export const text = words({
  title: 'Usage',
  periods: { '7': '7 days', '30': '30 days', '90': '90 days', month: 'This month' },
  period: 'Period',
  heads: { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days', month: 'This month' },
  wallet: 'Wallet',
  measure: 'Measure',
  measures: { cost: 'Spend', tokens: 'Tokens', requests: 'Requests' },
  asTable: 'Show as table',
  asChart: 'Show as chart',
  loading: 'Loading usage',
  failed: 'Could not read usage',
  notReported: 'This gateway does not tell usage',
  notGrouped: 'This gateway tells these sums alone, and no days or groups.',
  asCounted: 'As the gateway counts it',
  otherPeriod: 'This gateway does not say of which period its figures are: they are not of the one chosen here.',
  empty: 'Nothing used in this period',
  emptyNote: 'Your first reply will show here.',
  chart: (measure: string) => `${measure} per day. Use the arrow keys to read a day.`,
  utc: 'Days are UTC.',
  series: {
    cost: ['Spend'],
    tokens: ['Input', 'Cached input', 'Output', 'Reasoning'],
    requests: ['Succeeded', 'Failed', 'Cancelled'],
  },
  day: 'Day',
  groupBy: 'Group by',
  groups: { model: 'Model', provider: 'Provider', key: 'Key', status: 'Outcome' },
  by: (group: string) => `By ${group.toLowerCase()}`,
  statuses: { succeeded: 'Succeeded', failed: 'Failed', cancelled: 'Cancelled', running: 'Running' } as Partial<
    Record<string, string>
  >,
  csv: 'Save as CSV',
  before: (amount: string, days: number) => `${amount} in the ${counted(days, 'day', 'days')} before`,
  columns: {
    requests: 'Requests',
    input: 'Input',
    failed: 'Failed',
    output: 'Output',
    cached: 'Cached',
    cost: 'Cost',
    share: 'Share',
  },
  requests: (value: number) => counted(value, 'request', 'requests'),
  testCredits: 'Test credits: simulated answers, no real money.',
});

import { count, counted } from './format.ts';
import { words } from './language.ts';

export const text = words({
  title: 'Credits',
  billingAccount: 'Wallet',
  balance: { prepaid: 'Balance', meter_only: 'Spent so far' },
  accountBalance: 'Account',
  keyMaySpend: (amount: string) => `This key may still spend ${amount}.`,
  otherUnit: 'This gateway doesn’t count in US dollars. Its amounts aren’t converted, so costs here may be unknown.',
  held: 'Held for running answers',
  available: 'Available',
  granted: 'Added in all',
  used: 'Used in all',
  testCredits: 'These are test credits. They pay for simulated answers only and are not money.',
  metered: 'Your providers bill you directly. Portico keeps the book: each line is what a request cost at list price.',
  transactions: 'Transactions',
  columns: { date: 'Date', what: 'What', amount: 'Amount', after: 'Balance after' },
  types: {
    grant: 'Credits added',
    purchase: 'Purchase',
    usage: 'Use',
    refund: 'Refund',
    adjustment: 'Adjustment',
    expiry: 'Expired',
    byok_fee: 'Fee on your own key',
  },
  /** Words before the title of a chat. */
  uses: {
    chat: 'in',
    compact: 'for a summary of',
    title: 'for the title of',
    compare: 'for a comparison in',
    tool: 'for a tool in',
    retry: 'for a retry in',
  } as Partial<Record<string, string>>,
  elsewhere: 'by another program, or in a chat that is deleted',
  opening: 'Opening test credits',
  estimated: 'estimated',
  notReported: 'This gateway does not tell credits',
  noHistory: 'This gateway tells the balance, and no transactions',
  empty: 'No transactions yet',
  emptyNote: 'The first answer writes the first line.',
  more: 'Load more',
  loadingMore: 'Loading',
  shown: (lines: number) => counted(lines, 'line', 'lines'),
  noneOfThese: 'No transactions of this kind in this time',
  allTypes: 'All kinds',
  typeChosen: (type: string) => `Kind: ${type}`,
  period: 'Period',
  periods: { all: 'All', '7': '7 days', '30': '30 days', '90': '90 days' },
  lasts: (messages: number, days: number | null) =>
    messages === 0
      ? 'Not enough is left for a message of the usual length.'
      : `Lasts for about ${counted(messages, 'message', 'messages')}${days === null ? '' : `, or ${span(days)}`}.`,
  lastsBy: (requests: number, days: number, cost: string) =>
    `By the average of ${counted(requests, 'answer', 'answers')} ${days === 1 ? 'today' : `in the last ${count(days)} days`}, ${cost} in all.`,
  outlookUnknown: 'How long it lasts is known after the first answers.',
  low: 'There is little left.',
  topUpTest: 'Test credits are given once. Add a provider key, or connect a gateway, to go on.',
  topUpOwn: 'Your providers bill you: add credit with them.',
  topUpAt: (host: string) =>
    `Credits are added where you got the key, by who runs ${host}: gateways tell no page for it. They show here at once.`,
  lowIn: (billingAccount: string, messages: number | null) =>
    messages === null
      ? `There is nothing left in ${billingAccount}.`
      : messages === 0
        ? `Not enough is left in ${billingAccount} for a message of the usual length.`
        : `There is little left in ${billingAccount}: about ${counted(messages, 'message', 'messages')}.`,
  noneCanBeSent:
    'The credits left don’t cover this message with the longest answer that may come, so it can’t be sent as it is.',
  noneCanBeSentTo: (model: string) =>
    `Not enough is left for a message to ${model}: more is set aside for its longest answer. Limit answers in the chat, or choose a cheaper model.`,
  limitAnswer: (tokens: number) => `Limit answers to ${count(tokens)} tokens`,
  toCredits: 'Credits',
  budget: 'Budget of the month',
  budgetFailed: 'Could not read the budget',
  budgetNote:
    'Counts what is booked to this account in this month (UTC), by all programs, at list price. It stops nothing:',
  budgetCaps: 'spending caps do.',
  budgetUnknown: 'The gateway does not report what was spent this month.',
  ofBudget: (spent: string, limit: string) => `${spent} of ${limit}`,
  setBudget: 'Set a budget',
  changeBudget: 'Change the budget',
  budgetLimit: 'A month, USD',
  budgetEmpty: 'Empty: no budget.',
  notAmount: 'An amount in dollars, such as 20',
  save: 'Save',
  cancel: 'Cancel',
  all: {
    title: 'All accounts',
    account: 'Account',
    balance: 'Balance',
    asOf: 'As of',
    since: (clock: string) => `${clock}, no answer since`,
    away: 'No answer',
    unknown: 'not reported',
    spent: 'spent',
    leftOnKey: 'left on this key',
  },
  loading: 'Loading credits',
  failed: 'Could not read the ledger',
});

/** Formats a number of days. More than two years are shown in years. */
function span(days: number): string {
  if (days <= 730) return counted(days, 'day', 'days');
  const years = Math.floor(days / 365);
  return years > 100 ? 'more than 100 years' : counted(years, 'year', 'years');
}

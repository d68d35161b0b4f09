import { counted } from './format.ts';
import { words } from './language.ts';

export const text = words({
  title: 'Credits',
  wallet: 'Wallet',
  balance: { prepaid: 'Balance', meter_only: 'Spent so far' },
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
  /** Before the title of a chat. */
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
  empty: 'No transactions yet',
  emptyNote: 'The first answer writes the first line.',
  more: 'Load more',
  loadingMore: 'Loading',
  shown: (lines: number) => counted(lines, 'line', 'lines'),
  loading: 'Loading credits',
  failed: 'Could not read the ledger',
});

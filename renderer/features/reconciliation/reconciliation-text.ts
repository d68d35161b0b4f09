import { count, counted } from '../../text/format.ts';
import { words } from '../../text/language.ts';

export const text = words({
  title: 'Reconciliation',
  wallet: 'Wallet',
  intro: 'Chats, usage records, ledger and balance, matched by request.',
  loading: 'Matching requests',
  failed: 'Could not match the books',
  notReported: 'This gateway keeps no records of requests, so that there is nothing to match',
  matched: (matched: number, all: number) => `${count(matched)} of ${count(all)} matched`,
  difference: 'Difference',
  part: (requests: number, since: string) =>
    `The newest ${counted(requests, 'request', 'requests')}, since ${since}: a gateway elsewhere tells them by pages.`,
  running: (requests: number) => `${counted(requests, 'request', 'requests')} not ended yet`,
  empty: 'Nothing to match yet',
  emptyNote: 'The first answer writes the first record.',
  kinds: {
    chats: 'Answers in your chats',
    deleted: 'Deleted since, or in temporary chats',
    otherPrograms: 'Of other programs',
    uncharged: 'Nothing charged',
    unknown: 'Cost unknown to everyone',
    explained: 'Explained by you',
  },
  sums: {
    chats: 'Chats say',
    otherPrograms: 'Other programs',
    records: 'Usage records',
    ledger: 'Ledger, for requests',
    lines: 'Ledger, all lines',
    balance: 'Balance',
  },
  open: 'To be explained',
  nothingOpen: 'Every request has its record, its line in the ledger and its amount.',
  columns: { date: 'Date', what: 'Request', told: 'Chat', booked: 'Books', action: 'Action' },
  reasons: {
    cost_open: 'The chat does not know yet what it cost.',
    cost_differs: 'The chat says another amount than the books.',
    no_chat: 'This app asked for it, and no chat has it: the chats may come from an older backup.',
    no_record:
      'The chat says what it cost, and the books have no such request: the ledger may come from an older backup.',
    ledger_differs:
      'Usage record and ledger say different amounts: export the ledger and check it with “ledger verify”.',
  },
  lookUp: 'Look up again',
  openMessage: 'Open the message',
  explain: 'Mark as explained',
  lookedUp: 'Read from the gateway again',
  notFound: 'The gateway does not know more about it',
  lookUpFailed: 'Could not ask the gateway',
  marked: 'Marked as explained',
  markFailed: 'Could not be marked',
  actionFor: (action: string, what: string) => `${action}: ${what}`,
  shown: (shown: number, all: number) => `${count(shown)} of ${count(all)} shown.`,
  more: 'Show more',
  drift: 'Bill and price',
  driftNone: (checked: number) =>
    `All ${counted(checked, 'bill is', 'bills are')} what the price of that day times the tokens makes, to 1 %.`,
  driftSome: (rows: number, checked: number) =>
    `${counted(rows, 'bill is', 'bills are')} more than 1 % away from price × tokens, of ${count(checked)}.`,
  driftLoading: 'Computing each bill again',
  driftFailed: 'Could not compute the bills again',
  driftColumns: { billed: 'Billed', expected: 'Expected', off: 'Off' },
  driftAlarm: (requests: number) => `${counted(requests, 'bill is', 'bills are')} more than 1 % away from its price`,
  look: 'Look at it',
  unnamed: 'A request',
});

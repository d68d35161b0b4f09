import { counted } from './format.ts';
import { words } from './language.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

export const text = words({
  title: 'Backups',
  loading: 'Reading the backups',
  failed: 'Could not read the backups',
  note: (daily: number, weekly: number) =>
    `Chats with their attached files and settings are copied once a day when something has changed; the last ${daily} days and ${weekly} weeks are kept. Each file is kept once for all backups. A backup never holds a key. Portico does not encrypt chats and backups: the disk encryption of your system protects them. The ledger is not part of it: money that was spent stays spent.`,
  missingFiles: (count: number) =>
    `${counted(count, 'attached file is', 'attached files are')} in no backup and not in the data folder any more. Chats still name ${count === 1 ? 'it' : 'them'}.`,
  folder: 'Kept in',
  make: 'Back up now',
  making: 'Backing up',
  made: 'Backup made and checked',
  makeFailed: 'No backup was made',
  kinds: { auto: 'Automatic', manual: 'By hand', 'before-restore': 'Before a restore' },
  none: 'No backup yet. The first one is made once there is a chat.',
  restore: 'Restore',
  remove: 'Delete',
  actionFor: (action: string, when: string) => `${action} (${when})`,
  restoreTitle: 'Restore this backup?',
  restoreBody: (when: string) =>
    `Chats and settings go back to ${when}. The present state is kept as a backup of its own first, so this can be taken back. Answers that are being written are stopped.`,
  restored: 'Restored',
  restoreFailed: 'Not restored',
  removeTitle: 'Delete this backup?',
  removeBody: (when: string) =>
    `The backup of ${when} is deleted with the files that no other backup needs. Your chats stay as they are.`,
  removed: 'Backup deleted',
  removeFailed: 'Not deleted',
  putBackFailed: 'The backup could not be put back',
  cancel: 'Cancel',
  ledgerTitle: 'Ledger',
  ledgerNote:
    'The ledger has copies of its own, since money that was spent stays spent. A copy is made while it is in use, and every sum of it is counted again.',
  ledgerBackUp: 'Copy the ledger',
  ledgerCopying: 'Copying and counting',
  ledgerCopied: 'Ledger copied and counted',
  ledgerCopyFailed: 'The ledger was not copied',
  ledgerCopies: 'Copies of the ledger',
  ledgerNone: 'No copy yet.',
  ledgerRemoveTitle: 'Delete this copy of the ledger?',
  ledgerRemoveBody: (when: string) => `The copy of ${when} is deleted. The ledger itself stays as it is.`,
  ledgerRemoved: 'Copy of the ledger deleted',
  ledgerRestoreTitle: 'Restore this copy of the ledger?',
  ledgerRestoreBody: (when: string) =>
    `Balances, requests and keys go back to ${when}. The present ledger is kept as a copy of its own first, so this can be taken back. Answers that are being written are stopped.`,
  ledgerRestoreNote:
    'Chats stay as they are; what they cost since the copy has no record in the ledger then. Prices and providers that commands have entered go back too, and so do limits of keys. Keys that were revoked since stay revoked, and an account keeps its limits.',
  ledgerRestoring: 'Restoring',
  ledgerRestored: (when: string) => `The ledger is that of ${when}`,
  ledgerRestoreFailed: 'The ledger was not restored',
  ledgerCompared: 'The copy beside the present ledger',
  comparing: 'Comparing the copy with the present ledger',
  compareFailed: 'This copy cannot be read',
  account: 'Account',
  inCopy: 'In this copy',
  now: 'Now',
  requests: (count: number) => counted(count, 'request', 'requests'),
  spent: (usd: string) => `${usd} spent`,
  left: (usd: string) => `${usd} left`,
  notThere: 'Not there',
  lostKeys: (labels: readonly string[]) =>
    `${counted(labels.length, 'key of another program is', 'keys of other programs are')} newer than the copy and will not work any more: ${list.format(labels)}.`,
  unnamedKey: 'one without a name',
  exportAs: (format: string) => `Export as ${format}`,
  exportFailed: 'The ledger was not exported',
  copiesFailed: 'Could not read the copies of the ledger',
});

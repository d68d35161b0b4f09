import { implement } from '@orpc/server';
import { contract } from '#shared/contract/index.ts';

const os = implement(contract).reconciliation;

/** Books in which all matches, and nothing was ever booked. */
export const fakeReconciliation = (guard: (call: string) => Promise<void>) => ({
  get: os.get.handler(async () => {
    await guard('reconciliation.get');
    return {
      readAt: Date.now(),
      part: null,
      requests: 0,
      matched: 0,
      running: 0,
      openRows: [],
      openCount: 0,
      kinds: { chats: 0, deleted: 0, otherPrograms: 0, uncharged: 0, unknown: 0, explained: 0 },
      sums: { chatsUsd: '0', otherProgramsUsd: '0', recordsUsd: '0', ledgerUsd: '0' },
      balance: null,
      differenceUsd: '0',
    };
  }),
  drift: os.drift.handler(async () => {
    await guard('reconciliation.drift');
    return { checked: 0, rows: [], count: 0 };
  }),
  alarm: os.alarm.handler(async () => {
    await guard('reconciliation.alarm');
    return { drifting: 0 };
  }),
  lookUp: os.lookUp.handler(async () => {
    await guard('reconciliation.lookUp');
    return { found: false };
  }),
  mark: os.mark.handler(async () => {
    await guard('reconciliation.mark');
  }),
});

const ledger = implement(contract).ledger;

/** A ledger without lines. */
export const fakeLedgerFiles = (guard: (call: string) => Promise<void>) => {
  const copy = {
    name: 'ledger-2026-11-21T08-15-00-000Z.db',
    createdAt: Date.UTC(2026, 10, 21, 8, 15),
    bytes: 4_200_000,
  };
  let there = false;
  const state = () => ({ folder: '~/portico/backups/ledger', backups: there ? [copy] : [] });
  const leaves = (now: boolean) => {
    there = now;
    return state();
  };
  return {
    backups: ledger.backups.handler(async () => {
      await guard('ledger.backups');
      return state();
    }),
    backUp: ledger.backUp.handler(async () => {
      await guard('ledger.backUp');
      return leaves(true);
    }),
    remove: ledger.remove.handler(async () => {
      await guard('ledger.remove');
      return leaves(false);
    }),
    putBack: ledger.putBack.handler(async () => {
      await guard('ledger.putBack');
      return leaves(true);
    }),
    export: ledger.export.handler(async function* () {
      await guard('ledger.export');
      yield { text: '' };
    }),
  };
};

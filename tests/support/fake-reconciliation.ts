import { implement } from '@orpc/server';
import type { LedgerBackup } from '#shared/contract/app/ledger.ts';
import type { Reconciliation } from '#shared/contract/app/reconciliation.ts';
import { contract } from '#shared/contract/index.ts';

const os = implement(contract).reconciliation;

/** A ledger in which everything matches: the number of requests, and how far the check has read them. */
export interface FakeLedger {
  requests: number;
  part: Reconciliation['part'];
}

export const fakeReconciliation = (gatewayDb: FakeLedger, guard: (call: string) => Promise<void>) => ({
  get: os.get.handler(async () => {
    await guard('reconciliation.get');
    return {
      readAt: Date.now(),
      part: gatewayDb.part,
      requests: gatewayDb.requests,
      matched: gatewayDb.requests,
      running: 0,
      openRows: [],
      openCount: 0,
      kinds: {
        chats: 0,
        deleted: 0,
        otherPrograms: gatewayDb.requests,
        otherComputers: 0,
        uncharged: 0,
        unknown: 0,
        explained: 0,
      },
      sums: { chatsUsd: '0', otherProgramsUsd: '0', recordsUsd: '0', ledgerUsd: '0', ownKeysUsd: '0' },
      balance: null,
      differenceUsd: '0',
    };
  }),
  drift: os.drift.handler(async () => {
    await guard('reconciliation.drift');
    return { checked: gatewayDb.requests, rows: [], count: 0 };
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

/** The ledger's backups, in memory, with one copy of a ledger without entries. */
export const fakeLedgerFiles = (guard: (call: string) => Promise<void>) => {
  const copy: LedgerBackup = {
    name: 'ledger-2026-11-21T08-15-00-000Z.db',
    kind: 'manual',
    createdAt: Date.UTC(2026, 10, 21, 8, 15),
    bytes: 4_200_000,
  };
  let backups: readonly LedgerBackup[] = [];
  const state = () => ({ folder: '~/portico/backups/ledger', backups: [...backups] });
  const leaves = (now: readonly LedgerBackup[]) => {
    backups = now;
    return state();
  };
  return {
    backups: ledger.backups.handler(async () => {
      await guard('ledger.backups');
      return state();
    }),
    backUp: ledger.backUp.handler(async () => {
      await guard('ledger.backUp');
      return leaves([copy]);
    }),
    remove: ledger.remove.handler(async ({ input }) => {
      await guard('ledger.remove');
      return leaves(backups.filter(({ name }) => name !== input.name));
    }),
    putBack: ledger.putBack.handler(async () => {
      await guard('ledger.putBack');
      return leaves([copy, ...backups]);
    }),
    compare: ledger.compare.handler(async () => {
      await guard('ledger.compare');
      const sandbox = { requests: 2, spentUsd: '0.0000168', balanceUsd: '9.9999832' };
      return {
        accounts: [
          {
            billingAccount: 'main',
            name: 'Your keys',
            copy: { requests: 12, spentUsd: '0.0341', balanceUsd: '-0.0341' },
            present: { requests: 40, spentUsd: '1.207', balanceUsd: '-1.207' },
          },
          { billingAccount: 'sandbox', name: 'Sandbox', copy: sandbox, present: sandbox },
          {
            billingAccount: null,
            name: 'A team',
            copy: null,
            present: { requests: 1, spentUsd: '0.5', balanceUsd: '4.5' },
          },
        ],
        lostKeys: ['Editor', null],
      };
    }),
    restore: ledger.restore.handler(async () => {
      await guard('ledger.restore');
      const createdAt = Date.now();
      const name = `before-restore-${new Date(createdAt).toISOString().replace(/[:.]/g, '-')}.db`;
      return leaves([{ name, kind: 'before-restore', createdAt, bytes: 4_300_000 }, ...backups]);
    }),
    export: ledger.export.handler(async function* () {
      await guard('ledger.export');
      yield { text: '' };
    }),
  };
};

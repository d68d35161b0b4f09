import { maxNano } from '#shared/money.ts';
import type { LedgerConnection } from '../../storage/sqlite.ts';
import type { LedgerChanges } from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import { snapshotOn } from './flush.ts';

/** Accounts and keys that are remembered; then all are read anew. */
const most = 10_000;

/** The books as they are with all that was decided, also where the database lacks it yet. */
export interface MemoryLedger extends LedgerSnapshot {
  /** Whether somebody else has changed the database: it is read anew once it lacks nothing. */
  stale: boolean;
  forget(): void;
  /** Throws where a sum would be more than the database can keep. */
  requireRoom(changes: LedgerChanges): void;
  /** Remembers what was decided. */
  decided(changes: LedgerChanges): void;
  /** Forgets the requests that have ended and are in the database. */
  written(ended: readonly string[]): void;
}

export function createMemoryLedger(connection: LedgerConnection): MemoryLedger {
  const stored = snapshotOn(connection);
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();
  // Ids rise: one beyond the highest is new, without the database being asked.
  let highest: string | null = null;

  function read<Row>(rows: Map<string, Row>, id: string, load: (id: string) => Row | undefined): Row | undefined {
    const known = rows.get(id);
    if (known !== undefined) return known;
    // What is not remembered the database lacks nothing of.
    const row = load(id);
    if (row !== undefined) rows.set(id, row);
    return row;
  }

  const memory: MemoryLedger = {
    stale: false,
    account: (id) => read(accounts, id, stored.account),
    key: (id) => read(keys, id, stored.key),
    request(id) {
      const known = requests.get(id);
      if (known) return known;
      highest ??= stored.highestRequest();
      return id > highest ? undefined : stored.request(id);
    },
    forget() {
      memory.stale = false;
      accounts.clear();
      keys.clear();
      requests.clear();
      highest = null;
    },
    requireRoom({ accounts: changed, keys: spending, closed }) {
      // What is used is also the month's; a balance is what was granted less that; what is held has each request's hold in it.
      for (const { held, used } of changed) requireFits(held + used);
      for (const { held, spent } of spending) requireFits(held + spent);
      for (const { settlement } of closed) requireFits(settlement.upstreamCost);
    },
    decided(changes) {
      memory.stale ||= accounts.size + keys.size > most;
      for (const account of changes.accounts) accounts.set(account.id, account);
      for (const key of changes.keys) keys.set(key.id, key);
      for (const [id, request] of changes.requests) {
        requests.set(id, request);
        if (highest !== null && id > highest) highest = id;
      }
    },
    written(ended) {
      for (const id of ended) requests.delete(id);
    },
  };
  return memory;
}

function requireFits(amount: bigint): void {
  if (amount > maxNano) throw new Error(`${amount} is more than the books can keep`);
}

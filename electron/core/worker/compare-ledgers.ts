import Sqlite, { type Database } from 'better-sqlite3';
import { formatUsd, nanoUsd } from '#shared/money.ts';

export interface LedgerSums {
  readonly requests: number;
  readonly spentUsd: string;
  readonly balanceUsd: string;
}

interface AccountSums {
  readonly id: string;
  readonly name: string;
  readonly sums: LedgerSums;
}

export interface ComparedLedgers {
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly copy: LedgerSums | null;
    readonly present: LedgerSums | null;
  }[];
  /** Keys that work now and that the copy does not know. */
  readonly lostKeys: readonly { readonly id: string; readonly label: string | null }[];
}

/** What a copy of the ledger says beside the present one, by account in the order in which they were made. Runs in the worker. */
export function compareLedgers(copyFile: string, file: string, now: number): ComparedLedgers {
  const before = inLedger(copyFile, (db) => ({ accounts: accountsIn(db), keys: new Set(keyIds(db)) }));
  const present = inLedger(file, (db) => ({ accounts: accountsIn(db), keys: workingKeys(db, now) }));
  const inCopy = new Map(before.accounts.map((account) => [account.id, account]));
  const inPresent = new Map(present.accounts.map((account) => [account.id, account]));
  return {
    accounts: [...new Map([...inCopy, ...inPresent]).values()].map(({ id, name }) => ({
      id,
      name,
      copy: inCopy.get(id)?.sums ?? null,
      present: inPresent.get(id)?.sums ?? null,
    })),
    lostKeys: present.keys.filter(({ id }) => !before.keys.has(id)),
  };
}

function inLedger<Read>(file: string, read: (db: Database) => Read): Read {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return db.transaction(() => read(db))();
  } finally {
    db.close();
  }
}

function accountsIn(db: Database): AccountSums[] {
  const rows = db
    .prepare(
      `select id, name, used, balance, (select count(*) from requests where account_id = accounts.id)
      from accounts order by created, id`,
    )
    .raw()
    .safeIntegers()
    .all() as [id: string, name: string, used: bigint, balance: bigint, requests: bigint][];
  const usd = (amount: bigint) => formatUsd(nanoUsd(amount));
  return rows.map(([id, name, used, balance, requests]) => ({
    id,
    name,
    sums: { requests: Number(requests), spentUsd: usd(used), balanceUsd: usd(balance) },
  }));
}

const keyIds = (db: Database) => db.prepare('select id from api_keys').pluck().all() as string[];

const workingKeys = (db: Database, now: number) =>
  db
    .prepare(
      `select id, label from api_keys where revoked_at is null and (expires_at is null or expires_at > ?)
      order by created, id`,
    )
    .all(now) as { id: string; label: string | null }[];

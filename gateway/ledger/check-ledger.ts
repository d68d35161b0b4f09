import { sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { GatewayDb, OpenDatabase } from '../storage/open-database.ts';
import { accountRules } from './rules/account-rules.ts';
import { entryRules } from './rules/entry-rules.ts';
import { keyRules } from './rules/key-rules.ts';
import { modelRules } from './rules/model-rules.ts';
import { requestRules } from './rules/request-rules.ts';
import { getCount, type Rule, total } from './rules/rule.ts';
import { withSums } from './rules/sums.ts';
import { usageRules } from './rules/usage-rules.ts';

type LedgerDb = Pick<OpenDatabase, 'db' | 'dialect'>;

/** One thing that is off, by how much at most a nano-dollar would be told. */
interface LedgerProblem {
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

export interface LedgerCheck {
  readonly name: string;
  /** How many rows were looked at. */
  readonly checked: number;
  readonly problems: readonly LedgerProblem[];
  /** More problems than are listed. */
  readonly more: number;
}

export interface LedgerReport {
  readonly ok: boolean;
  readonly checks: readonly LedgerCheck[];
  readonly sums: {
    readonly accounts: number;
    readonly requests: number;
    readonly entries: number;
    readonly granted_usd: string;
    readonly used_usd: string;
    readonly balance_usd: string;
    readonly held_usd: string;
    /** Requests that have not ended, and those of them whose process gives no sign of life: the next sweep ends them. */
    readonly running: number;
    readonly abandoned: number;
  };
}

/** Listed of one check; the rest is counted. */
const listed = 20;

/** The invariants of the books (wire contract §1.4.7, §2.3, §2.4, §2.7, §7). */
const rules: readonly Rule[] = [
  ...accountRules,
  ...modelRules,
  ...keyRules,
  ...entryRules,
  ...requestRules,
  ...usageRules,
];

/** Checks every invariant of the books in one snapshot; gateways may go on serving them meanwhile. */
export const checkLedger = (gatewayDb: LedgerDb, now: () => number = Date.now): Promise<LedgerReport> =>
  inSnapshot(gatewayDb, async (db) => {
    const checks: LedgerCheck[] = [];
    await withSums(db, async () => {
      for (const rule of rules) checks.push(await check(db, rule));
    });
    return { ok: checks.every((one) => one.problems.length === 0), checks, sums: await getSums(db, now()) };
  });

/** SQLite's own transactions here begin as writers and would make a serving gateway wait; a reader in WAL does not. */
function inSnapshot<T>({ db, dialect }: LedgerDb, read: (db: GatewayDb) => Promise<T>): Promise<T> {
  if (dialect === 'postgres') return db.transaction().setIsolationLevel('repeatable read').execute(read);
  return db.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection);
    try {
      return await read(connection);
    } finally {
      await sql`commit`.execute(connection);
    }
  });
}

async function check(db: GatewayDb, rule: Rule): Promise<LedgerCheck> {
  const { checked, violations } = await rule.look(db);
  const shown = (value: bigint | null) =>
    value === null ? 'nothing' : rule.unit === 'money' ? `$${formatUsd(nanoUsd(BigInt(value)))}` : String(value);
  return {
    name: rule.name,
    checked,
    problems: violations
      .slice(0, listed)
      .map(({ place, expected, found }) => ({ where: place, expected: shown(expected), found: shown(found) })),
    more: Math.max(0, violations.length - listed),
  };
}

async function getSums(db: GatewayDb, now: number): Promise<LedgerReport['sums']> {
  const { rows } = await sql<Record<'granted' | 'used' | 'balance' | 'held', bigint>>`
    select ${total(sql`granted`)} as granted, ${total(sql`used`)} as used,
      ${total(sql`balance`)} as balance, ${total(sql`held`)} as held from accounts`.execute(db);
  const usd = (amount: bigint | undefined) => formatUsd(nanoUsd(amount ?? 0n));
  const [row] = rows;
  return {
    accounts: await getCount(db, sql`accounts`),
    requests: await getCount(db, sql`requests`),
    entries: await getCount(db, sql`ledger_entries`),
    granted_usd: usd(row?.granted),
    used_usd: usd(row?.used),
    balance_usd: usd(row?.balance),
    held_usd: usd(row?.held),
    running: await getCount(db, sql`requests where status = 'running'`),
    abandoned: await getCount(db, sql`requests where status = 'running' and lease_until < ${BigInt(now)}`),
  };
}

import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';

/** A single mismatch: the row, the expected value and the stored one. */
export interface Violation {
  readonly place: string;
  readonly expected: bigint | null;
  readonly found: bigint | null;
}

/** How many rows were checked, and the mismatches among them. */
export interface RuleResult {
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** An invariant of the ledger. */
export interface Rule {
  readonly name: string;
  readonly unit: 'money' | 'count';
  check(db: GatewayDb): Promise<RuleResult>;
}

interface SqlRule {
  readonly name: string;
  readonly unit: Rule['unit'];
  /** The rows that the rule covers: the text that follows `from`. */
  readonly scope: RawBuilder<unknown>;
  /** A query with one row per violation: `place`, `expected`, `found`. */
  readonly violations: RawBuilder<Violation>;
}

/** Creates a rule that the database checks with a single query. */
export const sqlRule = ({ name, unit, scope, violations }: SqlRule): Rule => ({
  name,
  unit,
  async check(db) {
    const { rows } = await violations.execute(db);
    return { checked: await getCount(db, scope), violations: rows };
  },
});

export async function getCount(db: GatewayDb, scope: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select cast(count(*) as bigint) as count from ${scope}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** A sum that is 0 when there are no rows, as a 64-bit integer on either database. */
export const total = (expression: RawBuilder<unknown>) => sql<bigint>`cast(coalesce(sum(${expression}), 0) as bigint)`;

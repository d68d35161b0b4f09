import { type RawBuilder, sql } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';

/** One thing that is off: where, what it should be and what it is. */
export interface Violation {
  readonly place: string;
  readonly expected: bigint | null;
  readonly found: bigint | null;
}

/** What was looked at, as a count, and what of it is off. */
export interface Looked {
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** One invariant of the books. */
export interface Rule {
  readonly name: string;
  readonly unit: 'money' | 'count';
  look(db: GatewayDb): Promise<Looked>;
}

interface SqlRule {
  readonly name: string;
  readonly unit: Rule['unit'];
  /** What there is to look at, behind `from`. */
  readonly scope: RawBuilder<unknown>;
  /** One row per violation: `place`, `expected`, `found`. */
  readonly violations: RawBuilder<Violation>;
}

/** A rule that the database checks by itself. */
export const sqlRule = ({ name, unit, scope, violations }: SqlRule): Rule => ({
  name,
  unit,
  async look(db) {
    const { rows } = await violations.execute(db);
    return { checked: await getCount(db, scope), violations: rows };
  },
});

export async function getCount(db: GatewayDb, scope: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select cast(count(*) as bigint) as count from ${scope}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** A sum that is 0 of nothing, in 64 bits on either database. */
export const total = (expression: RawBuilder<unknown>) => sql<bigint>`cast(coalesce(sum(${expression}), 0) as bigint)`;

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Prices that aren't in the shipped price book: the operator's own, and refreshed ones. Rows are only ever added. */
export const prices = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await run(db, statement);
  },
});

const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db);

const refusal = 'price rows are only ever added';

function statements(dialect: DialectName): string[] {
  const sqlite = dialect === 'sqlite';
  const int = sqlite ? 'INTEGER' : 'BIGINT';
  const serial = sqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGSERIAL PRIMARY KEY';
  return [
    `CREATE TABLE price_rows (
      seq ${serial}, model TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('override', 'refresh')),
      source TEXT NOT NULL, as_of TEXT NOT NULL, valid_from TEXT NOT NULL, price TEXT, created ${int} NOT NULL
    ${sqlite ? ') STRICT' : ')'}`,
    ...(sqlite ? sqliteFence : postgresFence),
  ];
}

const sqliteFence = ['UPDATE', 'DELETE'].map(
  (change) => `CREATE TRIGGER price_rows_refuse_${change.toLowerCase()} BEFORE ${change} ON price_rows
    BEGIN SELECT RAISE(ABORT, '${refusal}'); END`,
);

const postgresFence = [
  `CREATE FUNCTION price_rows_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${refusal}'; END $$`,
  `CREATE TRIGGER price_rows_refuse_change BEFORE UPDATE OR DELETE ON price_rows
    FOR EACH ROW EXECUTE FUNCTION price_rows_refuse()`,
];

/**
 * `0028-price-editions`: the dates of the price books that were adopted, so that no older one is adopted again (decision 113).
 */
export const priceEditions = (dialect: DialectName): Migration => ({
  async up(db) {
    const sqlite = dialect === 'sqlite';
    await sql
      .raw(`CREATE TABLE price_editions (
        as_of TEXT PRIMARY KEY, source TEXT NOT NULL, taken ${sqlite ? 'INTEGER' : 'BIGINT'} NOT NULL
      ${sqlite ? ') STRICT' : ')'}`)
      .execute(db);
  },
});

import type { Compilable, CompiledQuery, QueryResult, SqliteStatement } from 'kysely';
import type { BooksDb, BooksTransaction } from './open.ts';
import { BooksAdapter } from './sqlite.ts';

/** Stands for a value while a query is built. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Names a value that each run gives anew. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name];

interface Compiled<Row> {
  readonly query: CompiledQuery<Row>;
  /** SQLite's own prepared statement; null for other databases. */
  readonly statement: SqliteStatement | null;
}

/**
 * A query whose text is made once per database; only its values change. For the statements that every request runs:
 * building them costs more than SQLite needs to run them. With SQLite the prepared statement is run as it is: the
 * transaction has the one connection to itself.
 */
export function compiledOnce<Values extends object, Row = unknown>(
  build: (db: BooksDb, value: ValueOf<Values>) => Compilable<Row>,
): (trx: BooksTransaction, values: Values) => Promise<QueryResult<Row>> {
  const known = new WeakMap<object, Compiled<Row>>();
  const slot: ValueOf<Values> = (name) => new Slot(name) as never;

  function compile(trx: BooksTransaction): Compiled<Row> {
    const { adapter } = trx.getExecutor();
    const query = build(trx, slot).compile();
    const statement = adapter instanceof BooksAdapter ? adapter.prepare(query.sql) : null;
    const compiled = { query, statement };
    known.set(adapter, compiled);
    return compiled;
  }

  return async (trx, values) => {
    const { query, statement } = known.get(trx.getExecutor().adapter) ?? compile(trx);
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    );
    if (!statement) return trx.executeQuery<Row>({ ...query, parameters });
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
  };
}

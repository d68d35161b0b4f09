import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { BooksDb, BooksTransaction } from './open.ts';

/** Stands for a value while a query is built. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Names a value that each run gives anew. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name];

/**
 * A query whose text is made once per database; only its values change. For the statements that every request runs:
 * building them costs more than SQLite needs to run them.
 */
export function compiledOnce<Values extends object, Row = unknown>(
  build: (db: BooksDb, value: ValueOf<Values>) => Compilable<Row>,
): (trx: BooksTransaction, values: Values) => Promise<QueryResult<Row>> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  const slot: ValueOf<Values> = (name) => new Slot(name) as never;
  return (trx, values) => {
    const { adapter } = trx.getExecutor();
    const query = compiled.get(adapter) ?? build(trx, slot).compile();
    compiled.set(adapter, query);
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    );
    return trx.executeQuery<Row>({ ...query, parameters });
  };
}

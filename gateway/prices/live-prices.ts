import type { BooksDb } from '../db/open.ts';
import { type AddedPrice, readAddedPrices } from './price-rows.ts';

export interface LivePrices {
  /** The same array as long as nothing was added. */
  readonly current: () => readonly AddedPrice[];
  /** Looks whether another process has added prices. */
  reload(): Promise<void>;
}

/** The prices beside the book, as far as they are known in this process. */
export async function createLivePrices(db: BooksDb): Promise<LivePrices> {
  let known = await readAddedPrices(db);
  return {
    current: () => known,
    async reload() {
      const { count } = await db
        .selectFrom('price_rows')
        .select((row) => row.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) !== known.length) known = await readAddedPrices(db);
    },
  };
}

import type { GatewayDb } from '../../storage/open-database.ts';

/** A newer price book that the gateway has adopted. An older one is refused afterwards, however well it's signed. */
export interface PriceEdition {
  /** When it was published, as `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly source: string;
}

/** Returns the newest adopted edition. For databases from before editions were recorded, it's derived from the price rows. */
export async function readNewestEdition(db: GatewayDb): Promise<PriceEdition | null> {
  const noted = db.selectFrom('price_editions').select(['as_of', 'source']);
  const rows = db.selectFrom('price_rows').select(['as_of', 'source']).where('kind', '=', 'refresh');
  const newest = await noted.unionAll(rows).orderBy('as_of', 'desc').limit(1).executeTakeFirst();
  return newest ? { asOf: newest.as_of, source: newest.source } : null;
}

export async function noteEdition(db: GatewayDb, { asOf, source }: PriceEdition, now: number): Promise<void> {
  await db
    .insertInto('price_editions')
    .values({ as_of: asOf, source, taken: BigInt(now) })
    .onConflict((conflict) => conflict.column('as_of').doNothing())
    .execute();
}

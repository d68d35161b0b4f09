import type { GatewayDb } from '../../storage/open-database.ts';

export type DefinitionKind = 'plan' | 'provider';

/** Returns the definitions that were made by command: id → JSON, ordered by id. */
export async function readDefinitions(db: GatewayDb, kind: DefinitionKind): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('definitions')
    .select(['id', 'document'])
    .where('kind', '=', kind)
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ id, document }) => [id, document]));
}

/** Adds a definition or replaces the existing one. */
export async function writeDefinition(
  db: GatewayDb,
  definition: { readonly kind: DefinitionKind; readonly id: string; readonly document: object },
  now: number,
): Promise<void> {
  const { kind, id } = definition;
  const columns = { document: JSON.stringify(definition.document), changed: BigInt(now) };
  await db
    .insertInto('definitions')
    .values({ kind, id, ...columns })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(columns))
    .execute();
}

/** Returns whether there was a definition. */
export async function deleteDefinition(db: GatewayDb, kind: DefinitionKind, id: string): Promise<boolean> {
  const result = await db.deleteFrom('definitions').where('kind', '=', kind).where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

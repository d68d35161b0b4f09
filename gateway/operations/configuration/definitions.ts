import type { GatewayDb } from '../../storage/open-database.ts';

export type DefinitionKind = 'plan' | 'provider';

/** What was defined by command: id → JSON, in the order of ids. */
export async function readDefinitions(db: GatewayDb, kind: DefinitionKind): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('definitions')
    .select(['id', 'document'])
    .where('kind', '=', kind)
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ id, document }) => [id, document]));
}

/** Adds a definition, or puts it in the place of the one before. */
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

/** Whether there was one. */
export async function deleteDefinition(db: GatewayDb, kind: DefinitionKind, id: string): Promise<boolean> {
  const result = await db.deleteFrom('definitions').where('kind', '=', kind).where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

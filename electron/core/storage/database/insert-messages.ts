import { setImmediate } from 'node:timers/promises';
import type { Insertable, Kysely } from 'kysely';
import type { MessageTable, Tables } from './db.ts';

/**
 * Rows per statement. SQLite frees a statement's memory only in a later turn of the event loop: 100,000 statements in
 * one turn took 4 GB and blocked everything for 25 seconds.
 */
const rowsAtOnce = 200;
/** Characters of text per statement, because every text is indexed. */
const charactersAtOnce = 1_000_000;

/** Adds a message for each item, however many there are. */
export async function insertMessages<From>(
  tx: Kysely<Tables>,
  all: readonly From[],
  toRow: (item: From, index: number) => Insertable<MessageTable>,
): Promise<void> {
  let rows: Insertable<MessageTable>[] = [];
  let characters = 0;
  for (const [index, item] of all.entries()) {
    const row = toRow(item, index);
    rows.push(row);
    characters += row.text.length + (row.reasoning?.length ?? 0) + (row.tool_calls?.length ?? 0);
    if (index + 1 < all.length && rows.length < rowsAtOnce && characters < charactersAtOnce) continue;
    await tx.insertInto('messages').values(rows).execute();
    await setImmediate();
    [rows, characters] = [[], 0];
  }
}

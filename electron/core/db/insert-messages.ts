import { setImmediate } from 'node:timers/promises';
import type { Insertable, Kysely } from 'kysely';
import type { MessageTable, Tables } from './db.ts';

/**
 * Rows of one statement. SQLite's memory for a statement is given back in a later turn of the event loop: 100,000 statements in one turn
 * took 4 GB, and nothing else was done for 25 seconds.
 */
const rowsAtOnce = 200;

/** Adds a message for each of these, however many they are. */
export async function insertMessages<From>(
  tx: Kysely<Tables>,
  all: readonly From[],
  toRow: (each: From, index: number) => Insertable<MessageTable>,
): Promise<void> {
  for (let first = 0; first < all.length; first += rowsAtOnce) {
    const rows = all.slice(first, first + rowsAtOnce).map((each, index) => toRow(each, first + index));
    await tx.insertInto('messages').values(rows).execute();
    await setImmediate();
  }
}

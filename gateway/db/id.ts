import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** What an id names (wire contract §1.0). */
export type IdPrefix = 'req' | 'chat' | 'key' | 'acct' | 'txn' | 'inst' | 'usr' | 'tok';

const pool = new Uint8Array(4_096);
let used = pool.length;

/** From the system's generator, fetched by the page: a call for each of an id's sixteen letters would cost 20 µs. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

const nextUlid = monotonicFactory(random);

/**
 * A new id: prefix and a 26-character ULID. Ids of one process rise even within a millisecond, so that sorting by id is
 * sorting by time.
 */
export const newId = (prefix: IdPrefix, now: number): string => flat(`${prefix}_${nextUlid(now)}`);

/** A text that is built letter by letter is kept as a chain of its pieces, at many times its size, until somebody flattens it. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

import { randomFillSync } from 'node:crypto';

/** What an id names (wire contract §1.0). */
export type IdPrefix = 'req' | 'chat' | 'key' | 'acct' | 'txn' | 'inst' | 'usr' | 'tok';

/** Crockford's base 32. */
const letters = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'latin1');
const [prefixEnd, timeEnd, length] = [5, 15, 31];
const largest = letters.length - 1;

/** The last id, its prefix ending where the ULID begins. */
const text = Buffer.alloc(length);
/** The values of its random letters. */
const random = new Uint8Array(length - timeEnd);
let time = Number.NEGATIVE_INFINITY;

const pool = new Uint8Array(4_096);
let used = pool.length;

/**
 * A new id: prefix and a 26-character ULID. Ids of one process rise even within a millisecond, so that sorting by id is
 * sorting by time. It is written into one place: a text that is built of pieces is kept as a chain of them.
 */
export function newId(prefix: IdPrefix, now: number): string {
  if (now > time) drawRandom(now);
  else raiseRandom();
  for (let at = 0; at < random.length; at += 1) text[timeEnd + at] = letters[random[at] ?? 0] ?? 0;
  const start = prefixEnd - prefix.length - 1;
  for (let at = 0; at < prefix.length; at += 1) text[start + at] = prefix.charCodeAt(at);
  text[prefixEnd - 1] = underscore;
  return text.toString('latin1', start, length);
}

const underscore = '_'.charCodeAt(0);

/** Another millisecond: from the system's generator, fetched by the page. */
function drawRandom(now: number): void {
  time = now;
  let rest = Math.floor(now);
  for (let at = timeEnd - 1; at >= prefixEnd; at -= 1) {
    text[at] = letters[rest % letters.length] ?? 0;
    rest = Math.floor(rest / letters.length);
  }
  if (used + random.length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let at = 0; at < random.length; at += 1) random[at] = (pool[used++] ?? 0) & largest;
}

/** The next number after the last one's random part. */
function raiseRandom(): void {
  let at = random.length - 1;
  for (; random[at] === largest; at -= 1) random[at] = 0;
  if (at < 0) throw new Error('there are no more ids in this millisecond');
  random[at] = (random[at] ?? 0) + 1;
}

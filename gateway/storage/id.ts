import { randomFillSync } from 'node:crypto';

/** The kinds of ids (wire contract §1.0). */
export type IdPrefix = 'req' | 'chat' | 'key' | 'acct' | 'txn' | 'inst' | 'usr' | 'tok';

/** Crockford's base 32. */
const letters = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'latin1');
const [prefixEnd, timeEnd, length] = [5, 15, 31];
const largest = letters.length - 1;

/** The last id. Its prefix ends where the ULID begins. */
const text = Buffer.alloc(length);
/** The values of its random letters. */
const random = new Uint8Array(length - timeEnd);
let time = Number.NEGATIVE_INFINITY;

const pool = new Uint8Array(4_096);
let used = pool.length;

/**
 * Returns a new id: a prefix and a 26-character ULID. Ids of one process rise even within a millisecond, so sorting by id sorts
 * by time. The id is built in one buffer: V8 keeps a string that is concatenated from pieces as a chain of them.
 */
export function newId(prefix: IdPrefix, now: number): string {
  if (now > time) drawRandom(now);
  else raiseRandom();
  for (let index = 0; index < random.length; index += 1) text[timeEnd + index] = letters[random[index] ?? 0] ?? 0;
  const start = prefixEnd - prefix.length - 1;
  for (let index = 0; index < prefix.length; index += 1) text[start + index] = prefix.charCodeAt(index);
  text[prefixEnd - 1] = underscore;
  return text.toString('latin1', start, length);
}

const underscore = '_'.charCodeAt(0);

/** A new millisecond: draws random letters, from a pool that the system's generator fills 4 KB at a time. */
function drawRandom(now: number): void {
  time = now;
  let rest = Math.floor(now);
  for (let index = timeEnd - 1; index >= prefixEnd; index -= 1) {
    text[index] = letters[rest % letters.length] ?? 0;
    rest = Math.floor(rest / letters.length);
  }
  if (used + random.length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let index = 0; index < random.length; index += 1) random[index] = (pool[used++] ?? 0) & largest;
}

/** The same millisecond: adds one to the last random part. */
function raiseRandom(): void {
  let index = random.length - 1;
  for (; random[index] === largest; index -= 1) random[index] = 0;
  if (index < 0) throw new Error('there are no more ids in this millisecond');
  random[index] = (random[index] ?? 0) + 1;
}

import fc from 'fast-check';
import { decodeTime, isValid } from 'ulid';
import { expect, test } from 'vitest';
import { type IdPrefix, newId } from './id.ts';

const prefixes: IdPrefix[] = ['req', 'chat', 'key', 'acct', 'txn', 'inst', 'usr', 'tok'];

/** Returns a time that is no earlier than any id that another file of this process has made. */
const latestTime = () => decodeTime(newId('req', Date.now()).slice(4));

test('an id is its prefix and a ULID, rises even when the clock goes back, and contains the latest time', () => {
  let latest = latestTime();
  let last = newId('req', latest).split('_')[1] ?? '';
  const step = fc.tuple(fc.constantFrom(...prefixes), fc.integer({ min: -50, max: 50 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      for (const [prefix, by] of steps) {
        const now = latest + by;
        latest = Math.max(latest, now);
        const [name, ulid = ''] = newId(prefix, now).split('_');
        expect(name).toBe(prefix);
        expect(isValid(ulid)).toBe(true);
        expect(decodeTime(ulid)).toBe(latest);
        expect(ulid > last).toBe(true);
        last = ulid;
      }
    }),
  );
});

test('ids of different milliseconds share no random letters', () => {
  const now = latestTime() + 1;
  const ids = Array.from({ length: 1_000 }, (_, index) => newId('req', now + index).slice(-16));
  expect(new Set(ids).size).toBe(ids.length);
  const letters = new Set(ids.join(''));
  expect(letters.size).toBe(32);
});

test('within a millisecond the last letter of the alphabet carries over to the position before', () => {
  const now = latestTime() + 1;
  const ids = Array.from({ length: 3_000 }, () => newId('txn', now));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

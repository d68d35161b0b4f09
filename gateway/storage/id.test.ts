import fc from 'fast-check';
import { decodeTime, isValid } from 'ulid';
import { expect, test } from 'vitest';
import { type IdPrefix, newId } from './id.ts';

const prefixes: IdPrefix[] = ['req', 'chat', 'key', 'acct', 'txn', 'inst', 'usr', 'tok'];

/** Not before any time that another file of this process has asked with. */
const latestTime = () => decodeTime(newId('req', Date.now()).slice(4));

test('each id is its prefix and a ULID; they rise, whatever the clock does, and say the latest time', () => {
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
  const ids = Array.from({ length: 1_000 }, (_, at) => newId('req', now + at).slice(-16));
  expect(new Set(ids).size).toBe(ids.length);
  const letters = new Set(ids.join(''));
  expect(letters.size).toBe(32);
});

test('within a millisecond a letter that is the last one carries over to the one before', () => {
  const now = latestTime() + 1;
  const ids = Array.from({ length: 3_000 }, () => newId('txn', now));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { withLongSecrets } from './secret-service.ts';

const units = 100;

/** Refuses what Windows refuses, with its error message. */
function windowsStore() {
  const store = memorySecrets();
  return {
    ...store,
    async set(account: string, secret: string) {
      if (secret.length > units) throw new Error('Value of secret is longer than the platform limit');
      await store.set(account, secret);
    },
  };
}

test('a store with short entries keeps secrets of any length and leaves nothing of earlier secrets', async () => {
  const secrets = fc.array(
    fc.oneof(fc.string({ maxLength: 700, unit: 'grapheme' }), fc.constant('portico-parts:0000abcd:3:x')),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(secrets, async (values) => {
      const windows = windowsStore();
      const store = withLongSecrets(windows, units);
      await store.set('p/other', 'kept');
      for (const value of values) {
        await store.set('p/key', value);
        expect(await store.get('p/key')).toBe(value);
      }
      await store.remove('p/key');
      expect([...windows.items]).toEqual([['p/other', 'kept']]);
      expect(await store.get('p/key')).toBe(null);
    }),
  );
});

test('a short secret is stored in one entry, compatible with other programs and earlier versions', async () => {
  const windows = windowsStore();
  await withLongSecrets(windows, units).set('p/key', 'sk-one');
  expect([...windows.items]).toEqual([['p/key', 'sk-one']]);
});

test('a secret stays unchanged when the store fails while a new one is written', async () => {
  const windows = windowsStore();
  const store = withLongSecrets(windows, units);
  await store.set('p/key', 'a'.repeat(350));
  let left = 2;
  const failing = withLongSecrets(
    {
      ...windows,
      async set(account, secret) {
        left -= 1;
        if (left === 0) throw new Error('the program ended');
        await windows.set(account, secret);
      },
    },
    units,
  );
  await expect(failing.set('p/key', 'b'.repeat(350))).rejects.toThrow('the program ended');
  expect(await store.get('p/key')).toBe('a'.repeat(350));
});

test('a secret with a missing entry counts as missing', async () => {
  const windows = windowsStore();
  const store = withLongSecrets(windows, units);
  await store.set('p/key', 'a'.repeat(350));
  const part = [...windows.items.keys()].find((name) => name.endsWith('.2'));
  windows.items.delete(part ?? '');
  expect(await store.get('p/key')).toBe(null);
});

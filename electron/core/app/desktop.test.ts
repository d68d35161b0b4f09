import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toProblemText } from '#shared/language/refusals.ts';
import { memorySecrets } from '../../../tests/support/memory-secrets.ts';
import { testContext } from '../../../tests/support/test-context.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { quickWindowFeature } from './quick-window-feature.ts';

test('the self-test of secrets finds nothing, makes a backup meanwhile, and leaves nothing behind', async () => {
  const stored = memorySecrets();
  const core = await testCore({ openSecrets: async () => stored });
  const before = (await core.client.backup.list()).backups.length;
  const report = await core.client.app.testSecrets();
  expect(report).toMatchObject({ storage: 'keychain', found: [], unread: [], backup: true });
  expect(report.files).toBeGreaterThan(3);
  expect((await core.client.backup.list()).backups).toHaveLength(before);
  expect(existsSync(join(core.dataFolder, 'self-test.txt'))).toBe(false);
  await core.close();
});

test.each([
  ['plain', (secret: string) => secret],
  [
    'in base64, across the pieces in which files are read',
    (secret: string) => `${'x'.repeat(1_048_570)}${Buffer.from(secret).toString('base64')}`,
  ],
])('the self-test finds a key that a keychain leaves on disk %s', async (_, spell) => {
  const stored = memorySecrets();
  const core = await testCore({
    openSecrets: async () => ({
      ...stored,
      async set(account, secret) {
        await stored.set(account, secret);
        const folder = join(core.dataFolder, 'logs');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'leak.log'), spell(secret));
      },
    }),
  });
  const { found } = await core.client.app.testSecrets();
  expect(new Set(found.map(({ file }) => file))).toEqual(new Set([join('logs', 'leak.log')]));
  expect(readdirSync(core.dataFolder)).not.toContain('self-test.txt');
  await core.close();
});

test('a keychain that returns a different value fails the self-test, which leaves nothing behind', async () => {
  const stored = memorySecrets();
  const changing = async (account: string) => ((await stored.get(account)) === null ? null : 'sk-of-somebody-else');
  const core = await testCore({ openSecrets: async () => ({ ...stored, get: changing }) });
  const before = (await core.client.backup.list()).backups.length;
  await expect(core.client.app.testSecrets()).rejects.toMatchObject({
    data: { refusal: { name: 'secretsTestBlind' } },
  });
  expect((await core.client.backup.list()).backups).toHaveLength(before);
  expect(readdirSync(core.dataFolder)).not.toContain('self-test.txt');
  await core.close();
});

test('a shortcut that another program has is refused and not stored, and one that was lost later is reported', async () => {
  const kept = new Map<string, unknown>();
  let taken = ['mod+Alt+T'];
  const open = () =>
    quickWindowFeature(
      testContext({
        settings: {
          read: async (name: string) => kept.get(name),
          readText: async (name: string) => (kept.get(name) as string | undefined) ?? null,
          write: async (name: string, value: unknown) => void kept.set(name, value),
          forget: async (name: string) => void kept.delete(name),
          writeOnce: async (_: string, value: string) => value,
        },
        host: {
          quickWindow: {
            setKeys: async (keys: string | null) => keys === null || !taken.includes(keys),
            hide: async () => {},
            continueInMain: async () => {},
          },
        },
      }),
    );
  const first = open();
  await expect(first.setKeys({ keys: 'mod+Alt+T' })).rejects.toMatchObject({ refusal: { name: 'keysTaken' } });
  expect(first.get()).toEqual({ keys: null, problem: null });
  await first.setKeys({ keys: 'mod+Alt+Q' });

  taken = ['mod+Alt+Q'];
  const second = open();
  await second.load();
  expect(second.get()).toEqual({ keys: 'mod+Alt+Q', problem: toProblemText('keysTaken') });
  await second.setKeys({ keys: null });
  expect(kept.size).toBe(0);
});

import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '#gateway/access/auth/secret.ts';
import type { SecretsTest } from '#shared/contract/app/app.ts';
import type { BackupState } from '#shared/contract/app/backup.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import type { Keychain } from '../storage/secrets/keychain.ts';
import { scanFiles } from '../storage/secrets/scan-files.ts';
import type { SecretBox } from '../storage/secrets/secret-box.ts';
import { getSpellings } from '../storage/secrets/spellings.ts';

export interface SecretsTestDeps {
  readonly dataFolder: string;
  readonly secrets: Pick<SecretBox, 'get' | 'set' | 'remove'>;
  readonly keychain: Pick<Keychain, 'state'>;
  readonly backup: {
    readonly make: () => Promise<BackupState>;
    readonly remove: (which: { name: string }) => Promise<BackupState>;
  };
  readonly log: Log;
}

const name = 'self-test';
const control = 'self-test.txt';

/**
 * Keeps a made-up key as a provider's key is kept, lets it fail into the log, copies the data, and looks for the key in every
 * file. A marker that was written on purpose has to be found, or the search itself is broken.
 */
export function secretsTest({ dataFolder, secrets, keychain, backup, log }: SecretsTestDeps) {
  return async function test(signal: AbortSignal | undefined): Promise<SecretsTest> {
    const canary = `sk-self-test-${randomBytes(24).toString('base64url')}`;
    const marker = randomBytes(24).toString('hex');
    const storage = await secrets.set(name, new Secret(canary));
    const made = await backup.make().then(
      ({ backups }) => backups[0]?.name ?? null,
      () => null,
    );
    try {
      const kept = await secrets.get(name);
      log({ event: 'secrets_test', ...failureEntry(new Error(`made-up key ${kept}`)) });
      await writeFile(join(dataFolder, control), marker, { mode: 0o600 });
      const sought = [...getSpellings(canary), [control, Buffer.from(marker)] as const];
      const { found, ...scanned } = await scanFiles(dataFolder, sought, signal);
      const own = found.filter(({ spelling }) => spelling !== control);
      if (kept?.reveal() !== canary || own.length === found.length) throw refusal('internal_error', 'secretsTestBlind');
      const { backend } = keychain.state();
      return {
        storage,
        backend: storage === 'keychain' ? backend : null,
        ...scanned,
        found: own,
        backup: made !== null,
      };
    } finally {
      await rm(join(dataFolder, control), { force: true });
      if (made !== null) await backup.remove({ name: made });
      await secrets.remove(name);
    }
  };
}

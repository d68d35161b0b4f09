import { randomBytes } from 'node:crypto';
import type { SecretStore } from './keychain.ts';

/** Windows Credential Manager stores 2,560 bytes of UTF-16 per entry, which is 1,280 code units of a string. */
const windowsEntryUnits = 1_200;

/**
 * Precedes the number of entries and the first part of a secret in several entries. A short secret that happens to
 * begin with this mark is stored in the same form.
 */
const mark = 'portico-parts';
const head = new RegExp(`^${mark}:([0-9a-f]{8}):(\\d{1,4}):`);

/**
 * Makes a store with entries of at most `units` UTF-16 units accept secrets of any length. A longer secret is split:
 * the first entry, under the account's own name, contains the number of entries and a random word that is part of the
 * other entries' names. The first entry is written last, so a crash in between leaves the old secret intact.
 */
export function withLongSecrets(store: SecretStore, units: number): SecretStore {
  const partName = (account: string, word: string, index: number) => `${account}#${word}.${index}`;

  /** Returns the names of the further entries, without the account's own. */
  function furtherParts(account: string, first: string | null): string[] {
    const [, word = '', count = '1'] = head.exec(first ?? '') ?? [];
    return Array.from({ length: Number(count) - 1 }, (_, index) => partName(account, word, index + 2));
  }

  const removeAll = async (names: readonly string[]) => {
    for (const name of names) await store.remove(name);
  };

  return {
    async get(account) {
      const first = await store.get(account);
      if (first === null || !head.test(first)) return first;
      const parts = [first.replace(head, '')];
      for (const name of furtherParts(account, first)) {
        const part = await store.get(name);
        // A key with a missing part is useless: the user has to enter it again.
        if (part === null) return null;
        parts.push(part);
      }
      return parts.join('');
    },
    async set(account, secret) {
      const before = furtherParts(account, await store.get(account));
      if (secret.length <= units && !secret.startsWith(mark)) {
        await store.set(account, secret);
        return removeAll(before);
      }
      const word = randomBytes(4).toString('hex');
      // The longest head is shorter than this.
      const partLength = units - mark.length - 20;
      const parts = Array.from({ length: Math.ceil(secret.length / partLength) }, (_, index) =>
        secret.slice(index * partLength, (index + 1) * partLength),
      );
      for (const [index, part] of parts.entries())
        if (index > 0) await store.set(partName(account, word, index + 1), part);
      await store.set(account, `${mark}:${word}:${parts.length}:${parts[0]}`);
      await removeAll(before);
    },
    async remove(account) {
      const further = furtherParts(account, await store.get(account));
      await store.remove(account);
      await removeAll(further);
    },
  };
}

/**
 * Opens the operating system's keychain. On Linux it is pinned to the Secret Service, because the library would fall
 * back to a kernel keyring that a reboot empties.
 */
export async function openSecretService(service: string): Promise<SecretStore> {
  const { AsyncEntry } = await import('keytar');
  const entry = (account: string) => new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  const store: SecretStore = {
    async get(account) {
      return (await entry(account).getPassword()) ?? null;
    },
    async set(account, secret) {
      await entry(account).setPassword(secret);
    },
    async remove(account) {
      await entry(account).deleteCredential();
    },
  };
  return process.platform === 'win32' ? withLongSecrets(store, windowsEntryUnits) : store;
}

/** Returns the keychain's name on this platform. */
export function keychainName(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'macOS Keychain';
  if (platform === 'win32') return 'Windows Credential Manager';
  return 'Secret Service';
}

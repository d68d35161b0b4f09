import { randomBytes } from 'node:crypto';
import type { SecretStore } from './keychain.ts';

/** Windows Credential Manager takes 2,560 bytes of UTF-16 an entry, 1,280 units of a string. */
const windowsEntryUnits = 1_200;

/** Before the number of entries and the first part of a secret in several entries. A short secret that begins so is stored the same way. */
const mark = 'portico-parts';
const head = new RegExp(`^${mark}:([0-9a-f]{8}):(\\d{1,4}):`);

/**
 * A store whose entries take so many UTF-16 units at most, as one for secrets of any length. What is longer lies in several entries: the
 * first, under the account's own name, says how many there are and under which random word the others lie. It is written last, so that a
 * program that ends in between leaves the secret as it was.
 */
export function withLongSecrets(store: SecretStore, units: number): SecretStore {
  const partName = (account: string, word: string, index: number) => `${account}#${word}.${index}`;

  /** The names of the entries besides the account's own. */
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
        // Half a key is no key: it has to be entered again.
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
      const room = units - mark.length - 20;
      const parts = Array.from({ length: Math.ceil(secret.length / room) }, (_, index) =>
        secret.slice(index * room, (index + 1) * room),
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
 * The operating system’s keychain. On Linux pinned to Secret Service: the library would fall back to a kernel keyring
 * that a reboot empties.
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

/** The keychain’s name on this platform. */
export function keychainName(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'macOS Keychain';
  if (platform === 'win32') return 'Windows Credential Manager';
  return 'Secret Service';
}

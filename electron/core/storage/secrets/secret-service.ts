import type { SecretStore } from './keychain.ts';
import { windowsEntryUnits, withLongSecrets } from './long-secrets.ts';

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

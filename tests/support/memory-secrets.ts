import type { SecretStore } from '#core/storage/secrets/keychain.ts';

/** A keychain in memory that a test can inspect. */
export function memorySecrets(): SecretStore & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    get: async (account) => items.get(account) ?? null,
    async set(account, secret) {
      items.set(account, secret);
    },
    async remove(account) {
      items.delete(account);
    },
  };
}

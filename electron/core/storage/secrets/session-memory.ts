/**
 * Secrets of this session, under the keychain's names. They are in memory that outlives the core, and never on disk.
 */
export interface SessionMemory {
  all(): Promise<readonly { readonly account: string; readonly secret: string }[]>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** A session memory within this process. */
export function sessionMemory(): SessionMemory {
  const items = new Map<string, string>();
  return {
    all: async () => [...items].map(([account, secret]) => ({ account, secret })),
    async set(account, secret) {
      items.set(account, secret);
    },
    async remove(account) {
      items.delete(account);
    },
  };
}

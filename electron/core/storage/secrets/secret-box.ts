import { Secret } from '#gateway/access/auth/secret.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import type { Keychain } from './keychain.ts';
import type { SessionMemory } from './session-memory.ts';

/**
 * Opens the secrets of one profile. They are in the keychain if there is one, otherwise in memory for this session, but
 * never on disk.
 */
export async function openSecretBox(keychain: Keychain, profile: string, memory: SessionMemory) {
  const account = (name: string) => `${profile}/${name}`;
  // These were stored by an earlier core of the same session.
  const left = (await memory.all()).filter((item) => item.account.startsWith(account('')));
  const session = new Map(left.map((item) => [item.account.slice(account('').length), new Secret(item.secret)]));

  async function setForSession(name: string, secret: Secret): Promise<void> {
    session.set(name, secret);
    await memory.set(account(name), secret.reveal());
  }

  async function removeForSession(name: string): Promise<boolean> {
    const known = session.delete(name);
    if (known) await memory.remove(account(name));
    return known;
  }

  return {
    setForSession,
    removeForSession,
    /** Secrets that are kept only for this session, by name. */
    forSession: (): ReadonlyMap<string, Secret> => session,
    /** Throws `keychain_locked` or `keychain_failed` if the keychain cannot be read. */
    async get(name: string): Promise<Secret | null> {
      const known = session.get(name);
      if (known) return known;
      const text = await keychain.get(account(name));
      return text === null ? null : new Secret(text);
    },
    /** Stores a secret in the keychain, or else for this session. Returns where it was stored. */
    async set(name: string, secret: Secret): Promise<Extract<SecretStorage, 'keychain' | 'session'>> {
      try {
        await keychain.set(account(name), secret.reveal());
      } catch {
        // The failure has changed the keychain's state, and the user sees that state.
        await setForSession(name, secret);
        return 'session';
      }
      await removeForSession(name);
      return 'keychain';
    },
    /** Throws if the secret can't be removed; it is then still stored. */
    async remove(name: string): Promise<void> {
      const forSession = await removeForSession(name);
      await keychain.remove(account(name)).catch((error: unknown) => {
        if (!forSession) throw error;
      });
    },
  };
}

export type SecretBox = Awaited<ReturnType<typeof openSecretBox>>;

/** Returns the first and last characters, such as `sk-…9fQ2`. A short secret shows fewer. */
export function getHint(secret: Secret): string {
  const text = secret.reveal();
  if (text.length < 16) return `…${text.slice(-2)}`;
  return `${text.slice(0, 3)}…${text.slice(-4)}`;
}

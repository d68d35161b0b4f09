import { Secret } from '#gateway/access/auth/secret.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import type { Keychain } from './keychain.ts';
import type { SessionMemory } from './session-memory.ts';

/** The secrets of one profile: in the keychain if there is one, else for this session. Never on disk. */
export async function openSecretBox(keychain: Keychain, profile: string, memory: SessionMemory) {
  const account = (name: string) => `${profile}/${name}`;
  // Left by a former core of this session.
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
    /** Secrets kept for this session, by name. */
    forSession: (): ReadonlyMap<string, Secret> => session,
    /** Throws `keychain_locked` or `keychain_failed` if the keychain cannot be read. */
    async get(name: string): Promise<Secret | null> {
      const known = session.get(name);
      if (known) return known;
      const text = await keychain.get(account(name));
      return text === null ? null : new Secret(text);
    },
    /** Stores it in the keychain, else for this session; returns which. */
    async set(name: string, secret: Secret): Promise<Extract<SecretStorage, 'keychain' | 'session'>> {
      try {
        await keychain.set(account(name), secret.reveal());
      } catch {
        // The keychain’s state has changed, which is shown to the user.
        await setForSession(name, secret);
        return 'session';
      }
      await removeForSession(name);
      return 'keychain';
    },
    /** Throws if it cannot be removed; then it is still there. */
    async remove(name: string): Promise<void> {
      const forSession = await removeForSession(name);
      await keychain.remove(account(name)).catch((error: unknown) => {
        if (!forSession) throw error;
      });
    },
  };
}

export type SecretBox = Awaited<ReturnType<typeof openSecretBox>>;

/** The first and last characters, such as `sk-…9fQ2`; of a short one less. */
export function getHint(secret: Secret): string {
  const text = secret.reveal();
  if (text.length < 16) return `…${text.slice(-2)}`;
  return `${text.slice(0, 3)}…${text.slice(-4)}`;
}

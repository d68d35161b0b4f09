import { Secret } from '#gateway/auth/secret.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import type { Keychain } from './keychain.ts';
import type { SessionMemory } from './session-memory.ts';

/** One profile's secrets: in the keychain where there is one, else for this session. Nothing is ever written to disk. */
export async function openSecretBox(keychain: Keychain, profile: string, memory: SessionMemory) {
  const account = (name: string) => `${profile}/${name}`;
  // Of a core before this one, which has died.
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
    /** What is kept for this session, by names. */
    forSession: (): ReadonlyMap<string, Secret> => session,
    /** Throws `keychain_locked` or `keychain_failed` where the keychain cannot be read. */
    async get(name: string): Promise<Secret | null> {
      const known = session.get(name);
      if (known) return known;
      const text = await keychain.get(account(name));
      return text === null ? null : new Secret(text);
    },
    /** Keeps it as well as it can be kept, and says how. */
    async set(name: string, secret: Secret): Promise<Extract<SecretStorage, 'keychain' | 'session'>> {
      try {
        await keychain.set(account(name), secret.reveal());
      } catch {
        // The keychain has said what is wrong by its state, which the user is shown.
        await setForSession(name, secret);
        return 'session';
      }
      await removeForSession(name);
      return 'keychain';
    },
    /** Throws an `AppError` where it cannot be removed: then it is still there. */
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
export function hintOf(secret: Secret): string {
  const text = secret.reveal();
  if (text.length < 16) return `…${text.slice(-2)}`;
  return `${text.slice(0, 3)}…${text.slice(-4)}`;
}

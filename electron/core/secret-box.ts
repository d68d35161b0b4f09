import { Secret } from '#gateway/auth/secret.ts';
import type { SecretStorage } from '#shared/contract/fields.ts';
import type { Keychain } from './keychain.ts';

/** One profile's secrets: in the keychain where there is one, else for this session. Nothing is ever written to disk. */
export function secretBox(keychain: Keychain, profile: string) {
  const session = new Map<string, Secret>();
  const account = (name: string) => `${profile}/${name}`;
  return {
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
        session.delete(name);
        return 'keychain';
      } catch {
        // The keychain has said what is wrong by its state, which the user is shown.
        session.set(name, secret);
        return 'session';
      }
    },
    /** Throws an `AppError` where it cannot be removed: then it is still there. */
    async remove(name: string): Promise<void> {
      const forSession = session.delete(name);
      await keychain.remove(account(name)).catch((error: unknown) => {
        if (!forSession) throw error;
      });
    },
    isSession: (name: string) => session.has(name),
  };
}

export type SecretBox = ReturnType<typeof secretBox>;

/** The first and last characters, such as `sk-…9fQ2`; of a short one less. */
export function hintOf(secret: Secret): string {
  const text = secret.reveal();
  if (text.length < 16) return `…${text.slice(-2)}`;
  return `${text.slice(0, 3)}…${text.slice(-4)}`;
}

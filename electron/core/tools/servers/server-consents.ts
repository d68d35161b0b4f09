import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { renameFileSync } from '#gateway/storage/rename-file.ts';

const consent = z.object({ salt: z.string(), digest: z.string(), agreedAt: z.number() });
const file = z.record(z.string(), consent);
type Consents = z.infer<typeof file>;

/** A slow hash, because the file must not help to guess the secret values in the hashed text. */
const slowDigest = promisify<Buffer, Buffer, number, Buffer>(scrypt);

/**
 * The user's consents: one digest per server, so any difference needs a new question. They are in a separate file that
 * no backup contains, so a restored or foreign database brings no consents along.
 */
export function serverConsents(path: string, now: () => number) {
  let known = read(path);

  function keep(next: Consents): void {
    const part = `${path}.part`;
    writeFileSync(part, JSON.stringify(next), { mode: 0o600 });
    renameFileSync(part, path);
    known = next;
  }

  return {
    /** Whether there is any consent for this server. `holds` compares it with what would be started. */
    has: (id: string): boolean => Object.hasOwn(known, id),
    async holds(id: string, subject: string): Promise<boolean> {
      const given = Object.hasOwn(known, id) ? known[id] : undefined;
      if (!given) return false;
      const digest = await getDigest(subject, given.salt);
      const expected = Buffer.from(given.digest, 'hex');
      return digest.length === expected.length && timingSafeEqual(digest, expected) && known[id] === given;
    },
    /** Throws the signal’s reason if it is aborted first. */
    async remember(id: string, subject: string, signal: AbortSignal): Promise<void> {
      const salt = randomBytes(16).toString('hex');
      const digest = (await getDigest(subject, salt)).toString('hex');
      signal.throwIfAborted();
      keep({ ...known, [id]: { salt, digest, agreedAt: now() } });
    },
    forget(id: string): void {
      if (!Object.hasOwn(known, id)) return;
      keep(Object.fromEntries(Object.entries(known).filter(([otherId]) => otherId !== id)));
    },
    forgetAll(): void {
      if (Object.keys(known).length > 0) keep({});
    },
  };
}

const getDigest = (subject: string, salt: string): Promise<Buffer> =>
  slowDigest(createHash('sha256').update(subject).digest(), Buffer.from(salt, 'hex'), 32);

/** An unreadable file means no consent. */
function read(path: string): Consents {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

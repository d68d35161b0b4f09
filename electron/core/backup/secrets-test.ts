import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Secret } from '#gateway/access/auth/secret.ts';
import type { SecretsTest } from '#shared/contract/app/app.ts';
import type { BackupState } from '#shared/contract/app/backup.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry } from '../runtime/log/log.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { Keychain } from '../storage/secrets/keychain.ts';
import type { SecretBox } from '../storage/secrets/secret-box.ts';

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map((five) => base32Letters[Number.parseInt(five, 2)]).join('');
}

/**
 * The base64 form depends on the secret's offset in its text. Returns the inner part that doesn't, for each of the
 * three offsets.
 */
function base64Anywhere(secret: string, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
      .toString(encoding)
      .replace(/=+$/, '');
    return text.slice(offset === 0 ? 0 : offset + 1, -2);
  });
}

const spellOut = (secret: string, spell: (character: string) => string) => [...secret].map(spell).join('');
const toHex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const rot13 = (secret: string) =>
  secret.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

/** Encodings in which a secret may occur in a file, unencoded first. */
export function getSpellings(secret: string): readonly (readonly [name: string, bytes: Buffer])[] {
  const bytes = Buffer.from(secret);
  const texts: [string, string][] = [
    ['raw', secret],
    ['reversed', [...secret].reverse().join('')],
    ['upper case', secret.toUpperCase()],
    ['rot13', rot13(secret)],
    ['hex', bytes.toString('hex')],
    ['hex in upper case', bytes.toString('hex').toUpperCase()],
    ['hex with blanks', spellOut(secret, (character) => `${toHex(character)} `).trim()],
    ['decimal bytes', [...bytes].join(',')],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded throughout', spellOut(secret, (character) => `%${toHex(character)}`)],
    ['JSON-escaped', spellOut(secret, (character) => `\\u00${toHex(character)}`)],
    ['HTML entities', spellOut(secret, (character) => `&#${character.charCodeAt(0)};`)],
    ['HTML entities in hex', spellOut(secret, (character) => `&#x${toHex(character)};`)],
    ['base32', base32(bytes)],
    ...base64Anywhere(secret, 'base64').map((text): [string, string] => ['base64', text]),
    ...base64Anywhere(secret, 'base64url').map((text): [string, string] => ['base64url', text]),
  ];
  const utf16 = Buffer.from(secret, 'utf16le');
  return [
    ...texts.map(([name, text]) => [name, Buffer.from(text)] as const),
    ['utf-16le', utf16],
    ['utf-16be', Buffer.from(utf16).swap16()],
  ];
}

const pieceBytes = 1_048_576;

interface Scan {
  files: number;
  bytes: number;
  readonly found: { readonly file: string; readonly spelling: string }[];
  readonly unread: string[];
}

/** Searches every file of a folder for the spellings. Reports each spelling once per file, and doesn't follow links. */
async function scanFiles(
  folder: string,
  spellings: readonly (readonly [name: string, bytes: Buffer])[],
  signal: AbortSignal | undefined,
): Promise<Scan> {
  const scan: Scan = { files: 0, bytes: 0, found: [], unread: [] };
  const overlap = Math.max(...spellings.map(([, bytes]) => bytes.length)) - 1;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    signal?.throwIfAborted();
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    try {
      const { names, bytes } = await namesIn(path, spellings, overlap);
      scan.files += 1;
      scan.bytes += bytes;
      scan.found.push(...names.map((spelling) => ({ file, spelling })));
    } catch (error) {
      // Files of databases and caches may disappear while they are read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') scan.unread.push(file);
    }
  }
  return scan;
}

async function namesIn(path: string, spellings: readonly (readonly [string, Buffer])[], overlap: number) {
  const handle = await open(path, 'r');
  try {
    return await search(handle, spellings, overlap);
  } finally {
    await handle.close();
  }
}

async function search(handle: FileHandle, spellings: readonly (readonly [string, Buffer])[], overlap: number) {
  const names = new Set<string>();
  const buffer = Buffer.alloc(overlap + pieceBytes);
  let kept = 0;
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, kept, pieceBytes);
    if (bytesRead === 0) return { names: [...names], bytes };
    bytes += bytesRead;
    const piece = buffer.subarray(0, kept + bytesRead);
    for (const [name, spelling] of spellings) if (piece.includes(spelling)) names.add(name);
    // A spelling may cross the boundary between two pieces.
    const rest = piece.subarray(Math.max(0, piece.length - overlap));
    buffer.copyWithin(0, piece.length - rest.length, piece.length);
    kept = rest.length;
  }
}

export interface SecretsTestDeps extends CoreContext {
  readonly secrets: Pick<SecretBox, 'get' | 'set' | 'remove'>;
  readonly keychain: Pick<Keychain, 'state'>;
  readonly backup: {
    readonly make: () => Promise<BackupState>;
    readonly remove: (which: { name: string }) => Promise<BackupState>;
  };
}

const name = 'self-test';
const control = 'self-test.txt';

/**
 * Stores a made-up key as a provider's key is stored, puts it into a logged error, copies the data, and searches for
 * the key in every file. A marker that was written on purpose must be found, otherwise the search itself is broken.
 */
export function secretsTest({ dataFolder, secrets, keychain, backup, log }: SecretsTestDeps) {
  return async function test(signal: AbortSignal | undefined): Promise<SecretsTest> {
    const canary = `sk-self-test-${randomBytes(24).toString('base64url')}`;
    const marker = randomBytes(24).toString('hex');
    const storage = await secrets.set(name, new Secret(canary));
    const made = await backup.make().then(
      ({ backups }) => backups[0]?.name ?? null,
      () => null,
    );
    try {
      const kept = await secrets.get(name);
      log({ event: 'secrets_test', ...failureEntry(new Error(`made-up key ${kept}`)) });
      await writeFile(join(dataFolder, control), marker, { mode: 0o600 });
      const spellings = [...getSpellings(canary), [control, Buffer.from(marker)] as const];
      const { found, ...scanned } = await scanFiles(dataFolder, spellings, signal);
      const own = found.filter(({ spelling }) => spelling !== control);
      if (kept?.reveal() !== canary || own.length === found.length) throw refusal('internal_error', 'secretsTestBlind');
      const { backend } = keychain.state();
      return {
        storage,
        backend: storage === 'keychain' ? backend : null,
        ...scanned,
        found: own,
        backup: made !== null,
      };
    } finally {
      await rm(join(dataFolder, control), { force: true });
      if (made !== null) await backup.remove({ name: made });
      await secrets.remove(name);
    }
  };
}

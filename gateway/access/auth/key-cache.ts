import { hash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import { createBatches } from '../../runtime/concurrency/batches.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { getDigest } from './api-key.ts';
import { invalidKey } from './authorization-header.ts';
import { keyPrincipal } from './key-principal.ts';
import { type KeyStanding, keyStandings } from './key-standing.ts';
import type { Peppers } from './pepper.ts';
import type { PlanOf } from './plans.ts';
import type { Principal } from './principal.ts';
import { isFresh } from './verify-token.ts';

/**
 * A revocation takes effect everywhere within this time, even on an instance that misses the notification (wire contract §4.2).
 */
const cacheMs = 2000;
const cacheLimit = 10_000;
/** How many digests one query may contain. */
const maxDigests = 500;

export interface KeyCacheDeps {
  readonly db: GatewayDb;
  readonly peppers: Peppers;
  readonly now: () => number;
  readonly getPlan: PlanOf;
  /** Called with the pepper with which a key was found. */
  readonly onFound?: ((pepper: Uint8Array) => void) | null;
}

export interface KeyCache {
  /** Returns the caller of a header with a key from the last two seconds, or null when it isn't cached. */
  getRecent(header: string): Principal | null;
  /** Returns the current caller of a key. Rejects with 401 `invalid_api_key` when the key isn't valid. */
  read(header: string, key: string): Promise<Principal>;
  forget(): void;
}

interface CachedKey {
  /** One digest for each pepper. They are cached because they cost more than everything else in a lookup. */
  readonly digests: readonly Buffer[];
  readonly principal: Principal;
  readonly until: number;
  wasUsed: boolean;
}

interface Waiting {
  readonly name: string;
  readonly digests: readonly Buffer[];
  readonly resolve: (principal: Principal) => void;
  readonly reject: (error: unknown) => void;
}

/** Caches keys for two seconds. Keys that are requested together, and those that are due soon, are read in one query. */
export function createKeyCache({ db, peppers, now, getPlan, onFound = null }: KeyCacheDeps): KeyCache {
  /** In the order in which they were read, so the first one expires first. */
  const cache = new Map<string, CachedKey>();
  let waiting: Waiting[] = [];
  let changes = 0;
  const requestBatch = createBatches(readBatch);

  async function readBatch(): Promise<void> {
    const batch = waiting;
    waiting = [];
    const readAt = now();
    const changesBefore = changes;
    const due = dueSoon(readAt);
    const digests = [...batch, ...due.values()].flatMap((entry) => entry.digests);
    let found: ReadonlyMap<string, KeyStanding>;
    try {
      found = await standingsByDigest(db, digests, readAt);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const isOld = changes !== changesBefore;
    const store = (name: string, keyDigests: readonly Buffer[], wasUsed: boolean) => {
      const principal = keyPrincipal(getStanding(keyDigests, found), getPlan);
      if (!isOld) remember(name, { digests: keyDigests, principal, until: readAt + cacheMs, wasUsed });
      return principal;
    };
    for (const { name, digests: keyDigests, resolve, reject } of batch) {
      try {
        resolve(store(name, keyDigests, true));
        const pepper = onFound && peppers[keyDigests.findIndex((digest) => found.has(getText(digest)))];
        if (pepper) onFound(pepper);
      } catch (error) {
        cache.delete(name);
        reject(error);
      }
    }
    for (const [name, entry] of due) {
      try {
        store(name, entry.digests, false);
      } catch {
        // The next request with this key reads it alone and gets the error.
        cache.delete(name);
      }
    }
  }

  /** Returns the keys in use that have passed half of their time, and removes those that nobody uses any more. */
  function dueSoon(time: number): Map<string, CachedKey> {
    const due = new Map<string, CachedKey>();
    for (const [name, entry] of cache) {
      if (entry.until - time > cacheMs / 2 || due.size >= maxDigests) break;
      if (entry.wasUsed) due.set(name, entry);
      else if (!isFresh(entry.until, time)) cache.delete(name);
    }
    return due;
  }

  function remember(name: string, entry: CachedKey): void {
    cache.delete(name);
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(name, entry);
  }

  return {
    getRecent(header) {
      const entry = cache.get(getName(header));
      if (!entry || !isFresh(entry.until, now())) return null;
      entry.wasUsed = true;
      return entry.principal;
    },
    read(header, key) {
      const name = getName(header);
      const digests = cache.get(name)?.digests ?? peppers.map((pepper) => getDigest(key, pepper));
      return new Promise((resolve, reject) => {
        waiting.push({ name, digests, resolve, reject });
        void requestBatch();
      });
    },
    forget() {
      changes += 1;
      cache.clear();
    },
  };
}

/** A key is random enough for a plain hash to hide it. The peppered hash costs ten times as much. */
const getName = (header: string) => hash('sha256', header, 'base64');

async function standingsByDigest(
  db: GatewayDb,
  digests: readonly Buffer[],
  now: number,
): Promise<ReadonlyMap<string, KeyStanding>> {
  if (digests.length === 0) return new Map();
  const standings = await keyStandings(db, sql`digest in (${sql.join(padded(digests))})`, now, 'as stored');
  return new Map([...standings.values()].map((standing) => [getText(standing.row.digest), standing]));
}

/** Pads the list to a power of two: otherwise every number of keys would be another statement to prepare. */
function padded(digests: readonly Buffer[]): readonly Buffer[] {
  const size = 2 ** Math.ceil(Math.log2(digests.length));
  return [...digests, ...Array<Buffer>(size - digests.length).fill(digests[0] ?? Buffer.alloc(0))];
}

const getText = (digest: Uint8Array) => Buffer.from(digest).toString('base64');

/** Throws `invalid_api_key` when none of the key's digests is known. */
function getStanding(digests: readonly Buffer[], found: ReadonlyMap<string, KeyStanding>): KeyStanding {
  const standing = digests.map((digest) => found.get(getText(digest))).find(Boolean);
  // Does the same work for an unknown key, whose digest is compared with itself, so the timing reveals nothing.
  const equal = digests.map((digest) => timingSafeEqual(digest, standing?.row.digest ?? digest)).includes(true);
  if (!standing || !equal) throw new AppError('invalid_api_key', invalidKey);
  return standing;
}

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
 * A revocation is seen everywhere within this time, also by an instance that hears no notification (wire contract §4.2).
 */
const cacheMs = 2000;
const cacheLimit = 10_000;
/** Digests in one question. */
const maxDigests = 500;

export interface KeyCacheDeps {
  readonly db: GatewayDb;
  readonly peppers: Peppers;
  readonly now: () => number;
  readonly getPlan: PlanOf;
  /** Called with the secret that a key was found with. */
  readonly onFound?: ((pepper: Uint8Array) => void) | null;
}

export interface KeyCache {
  /** Who a header with a key stood for within the last two seconds; null where that is not known. */
  recent(header: string): Principal | null;
  /** Who a key stands for now. Rejects with 401 `invalid_api_key` where it stands for nobody. */
  read(header: string, key: string): Promise<Principal>;
  forget(): void;
}

interface Known {
  /** One for each pepper: they cost more than all the rest of a look at the cache. */
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

/** Keys as they stood within the last two seconds. Those that are asked for at once, and those that soon will be, are one question. */
export function createKeyCache({ db, peppers, now, getPlan, onFound = null }: KeyCacheDeps): KeyCache {
  /** In the order in which they were read: the first is the one to be read next. */
  const known = new Map<string, Known>();
  let waiting: Waiting[] = [];
  let changes = 0;
  const ask = createBatches(lookUp);

  async function lookUp(): Promise<void> {
    const asked = waiting;
    waiting = [];
    const askedAt = now();
    const changesBefore = changes;
    const due = dueSoon(askedAt);
    const digests = [...asked, ...due.values()].flatMap((one) => one.digests);
    let found: ReadonlyMap<string, KeyStanding>;
    try {
      found = await standingsByDigest(db, digests, askedAt);
    } catch (error) {
      for (const { reject } of asked) reject(error);
      return;
    }
    const isOld = changes !== changesBefore;
    const keep = (name: string, own: readonly Buffer[], wasUsed: boolean) => {
      const principal = keyPrincipal(getStanding(own, found), getPlan);
      if (!isOld) remember(name, { digests: own, principal, until: askedAt + cacheMs, wasUsed });
      return principal;
    };
    for (const { name, digests: own, resolve, reject } of asked) {
      try {
        resolve(keep(name, own, true));
        const pepper = onFound && peppers[own.findIndex((digest) => found.has(getText(digest)))];
        if (pepper) onFound(pepper);
      } catch (error) {
        known.delete(name);
        reject(error);
      }
    }
    for (const [name, one] of due) {
      try {
        keep(name, one.digests, false);
      } catch {
        // Whoever uses it next asks for it alone and is told why.
        known.delete(name);
      }
    }
  }

  /** Those in use that have passed the half of their time; what nobody uses any more is forgotten. */
  function dueSoon(time: number): Map<string, Known> {
    const due = new Map<string, Known>();
    for (const [name, one] of known) {
      if (one.until - time > cacheMs / 2 || due.size >= maxDigests) break;
      if (one.wasUsed) due.set(name, one);
      else if (!isFresh(one.until, time)) known.delete(name);
    }
    return due;
  }

  function remember(name: string, one: Known): void {
    known.delete(name);
    if (known.size >= cacheLimit) known.clear();
    known.set(name, one);
  }

  return {
    recent(header) {
      const one = known.get(getName(header));
      if (!one || !isFresh(one.until, now())) return null;
      one.wasUsed = true;
      return one.principal;
    },
    read(header, key) {
      const name = getName(header);
      const digests = known.get(name)?.digests ?? peppers.map((pepper) => getDigest(key, pepper));
      return new Promise((resolve, reject) => {
        waiting.push({ name, digests, resolve, reject });
        void ask();
      });
    },
    forget() {
      changes += 1;
      known.clear();
    },
  };
}

/** A key is random enough for a plain hash to hide it; the peppered one costs ten times as much. */
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

/** To a power of two: a statement for every number of keys would be many statements to prepare. */
function padded(digests: readonly Buffer[]): readonly Buffer[] {
  const size = 2 ** Math.ceil(Math.log2(digests.length));
  return [...digests, ...Array<Buffer>(size - digests.length).fill(digests[0] ?? Buffer.alloc(0))];
}

const getText = (digest: Uint8Array) => Buffer.from(digest).toString('base64');

/** Throws `invalid_api_key` where none of a key's digests is known. */
function getStanding(digests: readonly Buffer[], found: ReadonlyMap<string, KeyStanding>): KeyStanding {
  const standing = digests.map((digest) => found.get(getText(digest))).find(Boolean);
  // The same work for an unknown key: the comparison then runs against the digest itself and is discarded.
  const equal = digests.map((digest) => timingSafeEqual(digest, standing?.row.digest ?? digest)).includes(true);
  if (!standing || !equal) throw new AppError('invalid_api_key', invalidKey);
  return standing;
}

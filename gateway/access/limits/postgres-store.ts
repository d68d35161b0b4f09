import { CompiledQuery, sql } from 'kysely';
import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { createBatches } from '../../runtime/concurrency/batches.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { blockMs, createDemand, createUsualCost, type UsualCost } from './demand.ts';
import type { LimitStore, Refusal, ReleasePlace } from './limit-store.ts';
import { windowMs } from './memory-store.ts';
import { createSharedWindow, type SharedWindow, type WindowAnswer, type WindowQuestion } from './shared-window.ts';

/** How long a refusal is reused without asking the database: a caller that does not wait costs no statement for each attempt. */
const believedMs = 250;
const sizeLimit = 10_000;

/** The refusals of the last quarter second. A limit that becomes free meanwhile is noticed that much later. */
function createRefused(elapsed: () => number) {
  const known = new Map<string, { readonly refusal: Refusal; readonly cost: number; readonly since: number }>();
  return {
    find(key: string, limit: number, cost: number): Refusal | null {
      const entry = known.get(key);
      if (!entry || entry.refusal.limit !== limit || cost < entry.cost) return null;
      const passed = elapsed() - entry.since;
      if (passed >= Math.min(believedMs, entry.refusal.retryAfterMs)) {
        known.delete(key);
        return null;
      }
      const { refusal } = entry;
      return {
        ...refusal,
        resetMs: Math.max(0, Math.round(refusal.resetMs - passed)),
        retryAfterMs: Math.max(1, Math.ceil(refusal.retryAfterMs - passed)),
      };
    },
    add(key: string, limit: number, cost: number, refusal: Refusal): void {
      if (known.size >= sizeLimit) known.clear();
      known.set(key, { refusal: { ...refusal, limit }, cost, since: elapsed() });
    },
  };
}

/** How long a running request counts without a renewal by its instance. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;

interface PostgresStoreDeps {
  readonly db: GatewayDb;
  readonly instanceId: string;
  /** A clock in milliseconds since the epoch. Null: the database's clock, which is the same for all instances. */
  readonly clock: (() => number) | null;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface SharedLimitStore extends LimitStore {
  /** Deletes expired rows. */
  sweep(): Promise<void>;
  /** Resolves when no statement is running any more. */
  close(): Promise<void>;
}

interface Answers {
  readonly windows: readonly WindowAnswer[];
  readonly places: readonly PlacesAnswer[];
}

/** The most keys in one statement, which holds their locks until it ends. */
const maxKeys = 200;
/** With this many keys, a statement does not wait for more. */
const enoughKeys = 16;
const statement = 'select portico_limits($1, $2, $3, $4, $5, $6) as answers';

/**
 * The limits of all instances on one database, by the database's clock (docs/decisions/009, 040). Questions that come while a statement is
 * running go with the next one, and a limit that is used often is taken in blocks.
 */
export function createPostgresStore({ db, instanceId, clock, log }: PostgresStoreDeps): SharedLimitStore {
  const elapsed = clock ?? (() => performance.now());
  const refused = createRefused(elapsed);
  const windows = new Map<string, SharedWindow>();
  const places = new Map<string, SharedPlaces>();
  const usualCosts = new Map<string, UsualCost>();
  const askingWindows = new Set<string>();
  const askingPlaces = new Set<string>();
  const failed = (event: string) => (error: unknown) => log({ event, level: 'error', cause: String(error) });
  let renewing = false;
  /** Resolves when all questions that wait now are answered. */
  const ask = createBatches(exchange, () => askingWindows.size + askingPlaces.size >= enoughKeys);

  async function exchange(): Promise<void> {
    const ofWindows = questions(askingWindows, (key) => windows.get(key)?.question());
    const renews = renewing;
    renewing = false;
    const ofPlaces = questions(askingPlaces, (key) => places.get(key)?.question(renews));
    if (askingWindows.size + askingPlaces.size > 0) ask().catch(() => {});
    if (ofWindows.length + ofPlaces.length === 0) return;
    try {
      const answers = await answersTo(ofWindows, ofPlaces);
      for (const answer of answers.windows) windows.get(answer.key)?.answered(answer);
      for (const answer of answers.places) places.get(answer.key)?.answered(answer);
    } catch (error) {
      for (const { key } of ofWindows) windows.get(key)?.failed(error);
      for (const { key } of ofPlaces) places.get(key)?.failed(error);
      throw error;
    }
  }

  async function answersTo(
    ofWindows: readonly WindowQuestion[],
    ofPlaces: readonly PlacesQuestion[],
  ): Promise<Answers> {
    const values = [
      JSON.stringify(ofWindows),
      JSON.stringify(ofPlaces),
      instanceId,
      leaseMs,
      blockMs,
      clock?.() ?? null,
    ];
    const { rows } = await db.executeQuery<{ answers: Answers }>(CompiledQuery.raw(statement, values));
    if (!rows[0]) throw new Error('portico_limits answered nothing');
    return rows[0].answers;
  }

  function getWindow(key: string): SharedWindow {
    const known = windows.get(key);
    if (known) return known;
    const window = createSharedWindow({
      key,
      elapsed,
      lost: failed('limit_not_corrected'),
      usual: getUsualCost(getKind(key)),
      refused: (limit, cost, refusal) => refused.add(key, limit, cost, refusal),
      ask() {
        askingWindows.add(key);
        return ask();
      },
    });
    windows.set(key, window);
    return window;
  }

  function getUsualCost(kind: string): UsualCost {
    const known = usualCosts.get(kind) ?? createUsualCost();
    usualCosts.set(kind, known);
    return known;
  }

  function getPlaces(key: string): SharedPlaces {
    const known = places.get(key);
    if (known) return known;
    const opened = createSharedPlaces({
      key,
      elapsed,
      lost: failed('limit_place_kept'),
      ask() {
        askingPlaces.add(key);
        return ask();
      },
    });
    places.set(key, opened);
    return opened;
  }

  /** Gives back unused blocks, and forgets keys that are not used any more. */
  function tidy(): void {
    forgetIdle(windows);
    forgetIdle(places);
    for (const key of windows.keys()) askingWindows.add(key);
    for (const key of places.keys()) askingPlaces.add(key);
    if (windows.size + places.size > 0) ask().catch(failed('limit_renewal_failed'));
  }

  const tidying = setInterval(tidy, blockMs);
  // This also restores what a crash of the database has emptied.
  const renewal = setInterval(() => {
    renewing = true;
    for (const key of places.keys()) askingPlaces.add(key);
  }, renewEveryMs);
  for (const timer of [tidying, renewal]) timer.unref();

  return {
    take: (key, limit, cost) => refused.find(key, limit, cost) ?? getWindow(key).take(limit, cost),
    enter: (key, limit) => getPlaces(key).enter(limit),

    async sweep() {
      const moment = sql<bigint>`coalesce(${clock?.() ?? null}::bigint, portico_now())`;
      // Rows that an instance is writing at this moment are skipped, so that neither waits for the other.
      await sql`delete from limit_uses where (key, bucket) in (
        select key, bucket from limit_uses where at < ${moment} - ${windowMs}::bigint for update skip locked)`.execute(
        db,
      );
      await sql`delete from limit_places where id in (
        select id from limit_places where lease_until < ${moment} for update skip locked)`.execute(db);
    },

    async close() {
      clearInterval(tidying);
      clearInterval(renewal);
      await ask().catch(failed('limit_renewal_failed'));
    },
  };
}

/** The kind of a counter: keys are `kind:name`. */
const getKind = (key: string) => key.slice(0, key.indexOf(':') + 1);

function questions<Question>(keys: Set<string>, getQuestion: (key: string) => Question | null | undefined): Question[] {
  const found: Question[] = [];
  for (const key of keys) {
    if (found.length === maxKeys) break;
    keys.delete(key);
    const question = getQuestion(key);
    if (question) found.push(question);
  }
  return found;
}

function forgetIdle(all: Map<string, { readonly idle: boolean }>): void {
  for (const [key, one] of all) if (one.idle) all.delete(key);
}

/** The question to `portico_limits` about one key's running requests, and its answer. */
interface PlacesQuestion {
  readonly key: string;
  readonly limit: number;
  readonly running: number;
  readonly wanted: number;
  readonly spare: number;
}

interface PlacesAnswer {
  readonly key: string;
  readonly entered: number;
  readonly spare: number;
  /** The most places that an instance may reserve. They are refused to the other instances. */
  readonly room: number;
}

interface Waiting {
  readonly resolve: (release: ReleasePlace | null) => void;
  readonly reject: (error: unknown) => void;
}

interface SharedPlaces {
  /** Answers at once when a place is reserved, else when the database has answered. */
  enter(limit: number): MaybePromise<ReleasePlace | null>;
  /** The next question, or null. `renews`: reports the running requests again. */
  question(renews: boolean): PlacesQuestion | null;
  answered(answer: PlacesAnswer): void;
  failed(error: unknown): void;
  readonly idle: boolean;
}

interface SharedPlacesDeps {
  readonly key: string;
  readonly elapsed: () => number;
  readonly ask: () => Promise<void>;
  readonly lost: (error: unknown) => void;
}

/** The running requests of one key at this instance, and the places that it has reserved for more. */
function createSharedPlaces({ key, elapsed, ask, lost }: SharedPlacesDeps): SharedPlaces {
  const demand = createDemand();
  let limit = 0;
  let running = 0;
  let spare = 0;
  let room = 0;
  let waiting: Waiting[] = [];
  let asked: Waiting[] = [];
  let given = false;

  function occupied(): ReleasePlace {
    let left: { readonly done: MaybePromise<void> } | null = null;
    return () => {
      left ??= { done: vacate() };
      return left.done;
    };
  }

  function vacate(): MaybePromise<void> {
    running -= 1;
    // When the limit is large, one place stays reserved even for a key that is seldom used; the next second's question gives it back.
    if (spare < Math.min(room, Math.max(1, demand.recent(elapsed())))) {
      spare += 1;
      return undefined;
    }
    given = true;
    // A place that could not be given back ends with its lease.
    return ask().catch(lost);
  }

  return {
    enter(wantedLimit) {
      limit = wantedLimit;
      demand.add(elapsed(), 1);
      if (spare > 0 && waiting.length === 0) {
        spare -= 1;
        running += 1;
        return occupied();
      }
      const answer = new Promise<ReleasePlace | null>((resolve, reject) => waiting.push({ resolve, reject }));
      ask().catch(() => {});
      return answer;
    },
    question(renews) {
      const recent = demand.recent(elapsed());
      const tooMany = spare > recent;
      if (waiting.length === 0 && !given && !tooMany && !(renews && running + spare > 0)) return null;
      asked = waiting;
      waiting = [];
      given = false;
      spare = 0;
      return { key, limit, running, wanted: asked.length, spare: recent };
    },
    answered(answer) {
      running += answer.entered;
      spare += answer.spare;
      room = answer.room;
      for (const [at, { resolve }] of asked.entries()) resolve(at < answer.entered ? occupied() : null);
      asked = [];
    },
    failed(error) {
      for (const { reject } of asked) reject(error);
      asked = [];
    },
    get idle() {
      return running + spare + waiting.length + asked.length + demand.recent(elapsed()) === 0 && !given;
    },
  };
}

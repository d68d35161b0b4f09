import { CompiledQuery, sql } from 'kysely';
import { createRounds } from '../../runtime/concurrency/rounds.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { blockMs, createUsualCost, type UsualCost } from './demand.ts';
import type { LimitStore } from './limit-store.ts';
import { windowMs } from './memory-store.ts';
import { createRefused } from './refused.ts';
import { createSharedPlaces, type PlacesAnswer, type PlacesQuestion, type SharedPlaces } from './shared-places.ts';
import { createSharedWindow, type SharedWindow, type WindowAnswer, type WindowQuestion } from './shared-window.ts';

/** How long a running request is believed without a sign of life from its instance. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;

interface PostgresStoreDeps {
  readonly db: GatewayDb;
  readonly instanceId: string;
  /** Milliseconds since the epoch in place of the database's clock; null: the database's, which is the same for all. */
  readonly clock: (() => number) | null;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface SharedLimitStore extends LimitStore {
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
  /** Resolves when nothing is asked any more. */
  close(): Promise<void>;
}

interface Answers {
  readonly windows: readonly WindowAnswer[];
  readonly places: readonly PlacesAnswer[];
}

/** Keys in one statement: it holds their locks to its end. */
const maxKeys = 200;
/** So many do not wait for more. */
const enoughKeys = 16;
const statement = 'select portico_limits($1, $2, $3, $4, $5, $6) as answers';

/**
 * The limits of all instances on one database, by the database's clock (docs/decisions/009, 040). What is asked while a statement
 * is under way goes with the next one; what is asked for often is had in hand.
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
  /** Resolves when what is to be asked by now was answered. */
  const ask = createRounds(exchange, () => askingWindows.size + askingPlaces.size >= enoughKeys);

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

  /** Gives back what was not used, and forgets who does not come any more. */
  function tidy(): void {
    forgetIdle(windows);
    forgetIdle(places);
    for (const key of windows.keys()) askingWindows.add(key);
    for (const key of places.keys()) askingPlaces.add(key);
    if (windows.size + places.size > 0) ask().catch(failed('limit_renewal_failed'));
  }

  const tidying = setInterval(tidy, blockMs);
  // Also puts back what a crash of the database emptied.
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
      // What an instance is writing at this moment it passes by: neither waits for the other.
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

/** What is counted, whosoever it is: keys are `kind:name`. */
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

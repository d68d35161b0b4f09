import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { createDemand } from './demand.ts';
import type { Leave } from './limit-store.ts';

/** What `portico_limits` is asked of one key's running requests, and what it answers. */
export interface PlacesQuestion {
  readonly key: string;
  readonly limit: number;
  readonly running: number;
  readonly wanted: number;
  readonly spare: number;
}

export interface PlacesAnswer {
  readonly key: string;
  readonly entered: number;
  readonly spare: number;
  /** The most that may be had in hand, which is refused to the others. */
  readonly room: number;
}

interface Waiting {
  readonly resolve: (leave: Leave | null) => void;
  readonly reject: (error: unknown) => void;
}

export interface SharedPlaces {
  /** At once where a place is in hand; else when the database has answered. */
  enter(limit: number): MaybePromise<Leave | null>;
  /** What there is to ask; null where there is nothing. `renews` says again what runs. */
  question(renews: boolean): PlacesQuestion | null;
  answered(answer: PlacesAnswer): void;
  failed(error: unknown): void;
  readonly idle: boolean;
}

export interface SharedPlacesDeps {
  readonly key: string;
  readonly elapsed: () => number;
  readonly ask: () => Promise<void>;
  readonly lost: (error: unknown) => void;
}

/** The requests of one key that run at this instance, and the places it has in hand for more. */
export function createSharedPlaces({ key, elapsed, ask, lost }: SharedPlacesDeps): SharedPlaces {
  const demand = createDemand();
  let limit = 0;
  let running = 0;
  let spare = 0;
  let room = 0;
  let waiting: Waiting[] = [];
  let asked: Waiting[] = [];
  let given = false;

  function occupied(): Leave {
    let left: { readonly done: MaybePromise<void> } | null = null;
    return () => {
      left ??= { done: vacate() };
      return left.done;
    };
  }

  function vacate(): MaybePromise<void> {
    running -= 1;
    // One is kept where there are many, even for a key that is seldom used: it is given back with the next second's.
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
      const answer = new Promise<Leave | null>((resolve, reject) => waiting.push({ resolve, reject }));
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

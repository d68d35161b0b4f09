import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { blockMs, createDemand, type UsualCost } from './demand.ts';
import type { Admission, Refusal, WindowState } from './limit-store.ts';
import { untilEmpty, waitFor, windowMs } from './memory-store.ts';

/** The question to `portico_limits` about one window, and its answer. Times in milliseconds. */
export interface WindowQuestion {
  readonly key: string;
  readonly limit: number;
  readonly costs: readonly number[];
  readonly block: number;
  readonly corrections: readonly { readonly bucket: number; readonly difference: number }[] | null;
}

export interface WindowAnswer {
  readonly key: string;
  readonly admitted: readonly boolean[];
  /** The cost that may be used within a block's time without asking again. */
  readonly block: number;
  readonly bucket: number;
  readonly moment: number;
  /** The used cost, including what was just admitted and the block. */
  readonly used: number;
  readonly latest: number | null;
  /** The costs with their times. Only when something was refused. */
  readonly uses: readonly (readonly [at: number, cost: number])[] | null;
}

/** The share of the remaining limit that an instance may reserve for a second, as `portico_limits` gives it. */
const handful = (left: number) => (left < 64 ? 0 : left / 16);

interface Waiting {
  readonly cost: number;
  readonly resolve: (answer: Admission | Refusal) => void;
  readonly reject: (error: unknown) => void;
}

/** A reserved block: its rest may be used until its time is over. */
interface Block {
  readonly bucket: number;
  readonly since: number;
  readonly used: number;
  readonly resetMs: number;
  left: number;
}

export interface SharedWindow {
  /** Answers at once from the reserved block, else when the database has answered. A plan may change, and with it the limit. */
  take(limit: number, cost: number): MaybePromise<Admission | Refusal>;
  /** The next question, or null. `answered` or `failed` resolve those who wait for it. */
  question(): WindowQuestion | null;
  answered(answer: WindowAnswer): void;
  failed(error: unknown): void;
  /** Whether the window can be forgotten: nothing is reserved, waiting or still to be corrected, and it was not used lately. */
  readonly idle: boolean;
}

interface SharedWindowDeps {
  readonly key: string;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  readonly usual: UsualCost;
  /** Asks the question soon; resolves when it is answered. */
  readonly ask: () => Promise<void>;
  readonly refused: (limit: number, cost: number, refusal: Refusal) => void;
  readonly lost: (error: unknown) => void;
}

/** One window of a limit that all instances share, from the view of one instance. */
export function createSharedWindow({ key, elapsed, usual, ask, refused, lost }: SharedWindowDeps): SharedWindow {
  const demand = createDemand();
  const corrections = new Map<number, number>();
  let waiting: Waiting[] = [];
  let asked: Waiting[] = [];
  let sentAt = 0;
  let limit = 0;
  let block: Block | null = null;

  const isAlive = ({ since }: Block) => elapsed() - since < blockMs;

  /**
   * A caller that only reads the window will take from it soon: the usual cost is asked for with it, if it is small compared with the
   * limit.
   */
  const foreseen = () =>
    asked.length > 0 && asked.every(({ cost }) => cost === 0) && usual.most <= handful(limit) ? usual.most : 0;

  function correct(bucket: number, difference: number): void {
    if (difference !== 0) corrections.set(bucket, (corrections.get(bucket) ?? 0) + difference);
  }

  function putBack(): void {
    if (block) correct(block.bucket, -block.left);
    block = null;
  }

  function getState({ used, left, resetMs, since }: Block): WindowState {
    return {
      limit,
      remaining: Math.max(0, limit - used + left),
      resetMs: Math.max(0, Math.round(resetMs - (elapsed() - since))),
    };
  }

  function admission(state: WindowState, bucket: number, cost: number): Admission {
    let counted = cost;
    return {
      ...state,
      admitted: true,
      settle(actual) {
        const difference = actual - counted;
        counted = actual;
        if (difference === 0) return undefined;
        if (difference < 0 && block?.bucket === bucket && isAlive(block)) {
          block.left -= difference;
          return undefined;
        }
        correct(bucket, difference);
        const spare = handful(state.remaining);
        // Small corrections are reported within a second together with other questions; large ones at once, because the other instances
        // would miss them.
        if (Math.abs(difference) <= spare) return undefined;
        // The caller has its answer already. A reservation that stays unchanged expires within the minute.
        return spare === 0 || demand.recent(elapsed()) === 0 ? ask().catch(lost) : undefined;
      },
    };
  }

  function refusal(state: WindowState, cost: number, { uses, used, moment }: WindowAnswer): Refusal {
    const entries = (uses ?? []).map(([at, taken]) => ({ since: at, at, cost: taken }));
    const wait = waitFor({ entries, used }, limit, cost, moment);
    return { ...state, admitted: false, retryAfterMs: Math.min(windowMs, Math.max(1, wait)) };
  }

  return {
    take(wantedLimit, cost) {
      if (wantedLimit !== limit) putBack();
      limit = wantedLimit;
      demand.add(elapsed(), cost);
      usual.add(cost);
      if (block && isAlive(block) && block.left >= Math.max(cost, 1) && waiting.length === 0) {
        block.left -= cost;
        return admission(getState(block), block.bucket, cost);
      }
      const answer = new Promise<Admission | Refusal>((resolve, reject) => waiting.push({ cost, resolve, reject }));
      // Those who wait get the error by their own promise.
      ask().catch(() => {});
      return answer;
    },
    question() {
      if (waiting.length > 0 || (block && !isAlive(block))) putBack();
      if (waiting.length === 0 && corrections.size === 0) return null;
      asked = waiting;
      waiting = [];
      sentAt = elapsed();
      const changed = [...corrections].map(([bucket, difference]) => ({ bucket, difference }));
      corrections.clear();
      return {
        key,
        limit,
        costs: asked.map(({ cost }) => cost),
        block: Math.max(asked.length > 0 ? demand.recent(sentAt) : 0, foreseen()),
        corrections: changed.length > 0 ? changed : null,
      };
    },
    answered(answer) {
      const { used, block: left, moment, latest, bucket } = answer;
      const entries = latest === null ? [] : [{ since: latest, at: latest, cost: 1 }];
      const resetMs = Math.min(windowMs, untilEmpty({ entries, used }, moment));
      const state = { limit, remaining: Math.max(0, limit - used + left), resetMs };
      if (left > 0) block = { bucket, since: sentAt, used, resetMs, left };
      for (const [at, { cost, resolve }] of asked.entries()) {
        if (answer.admitted[at]) {
          resolve(admission(state, bucket, cost));
          continue;
        }
        const refusedNow = refusal(state, cost, answer);
        refused(limit, cost, refusedNow);
        resolve(refusedNow);
      }
      asked = [];
    },
    failed(error) {
      for (const { reject } of asked) reject(error);
      asked = [];
    },
    get idle() {
      return block === null && waiting.length + asked.length + corrections.size + demand.recent(elapsed()) === 0;
    },
  };
}

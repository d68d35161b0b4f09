import { formatUsd } from '#shared/money.ts';
import type { Held, Ledger, Settlement } from '../ledger/ledger.ts';
import type { TrafficMetrics } from './traffic-metrics.ts';

type Entry = Readonly<Record<string, unknown>>;
type Log = (entry: Entry) => void;

/** A request whose hold is open: it is over when its HTTP answer was begun and its books are closed, in either order. */
interface Open {
  answered: Entry | null;
  settled: Entry | null;
}

export interface Traffic {
  /** Takes the place of the log: what it says of a request waits until the request is over, so that it is one line. */
  readonly log: Log;
  /** The ledger, watched. */
  watch(ledger: Ledger): Ledger;
  /** Requests that hold money or tokens of an account. */
  readonly openHolds: number;
  /** Answers that are being streamed. */
  readonly openStreams: number;
}

/**
 * Sees every request once, where it is over: one line for the log, and what is counted of it. Ids, codes and numbers;
 * never a word of a request or an answer, and no key.
 */
export function createTraffic(log: Log, metrics: TrafficMetrics): Traffic {
  const open = new Map<string, Open>();

  function over(answered: Entry, settled: Entry): void {
    const entry = { ...answered, ...settled };
    metrics.request(entry);
    log({ ...entry, level: levelOf(entry) });
  }

  function answered(entry: Entry): void {
    const request = open.get(String(entry.request_id));
    if (!request) {
      over(entry, {});
    } else if (request.settled === null) {
      request.answered = entry;
    } else {
      open.delete(String(entry.request_id));
      over(entry, request.settled);
    }
  }

  function settled(settlement: Settlement, booked: boolean): void {
    metrics.answer(settlement);
    const entry = { ...lineOf(settlement), ...(booked ? {} : { books: 'not closed' }) };
    const request = open.get(settlement.requestId);
    if (!request) return;
    if (request.answered === null) {
      request.settled = entry;
    } else {
      open.delete(settlement.requestId);
      over(request.answered, entry);
    }
  }

  async function timed<T>(step: 'hold' | 'settle', work: Promise<T>, started = performance.now()): Promise<T> {
    const result = await work;
    metrics.commit(step, (performance.now() - started) / 1000);
    return result;
  }

  return {
    log: (entry) => (entry.event === 'request' ? answered(entry) : log(entry)),
    watch: (ledger) => ({
      ...ledger,
      decide(request) {
        const started = performance.now();
        const watched = (held: Held): Held => {
          open.set(request.requestId, { answered: null, settled: null });
          return new TimedHeld(held, (durable) => timed('hold', durable, started));
        };
        const held = ledger.decide(request);
        return held instanceof Promise ? held.then(watched) : watched(held);
      },
      async settle(settlement) {
        try {
          const result = await timed('settle', ledger.settle(settlement));
          settled(settlement, true);
          return result;
        } catch (error) {
          settled(settlement, false);
          throw error;
        }
      },
    }),
    get openHolds() {
      return [...open.values()].filter((request) => request.settled === null).length;
    },
    get openStreams() {
      return [...open.values()].filter((request) => request.answered !== null).length;
    },
  };
}

/** Times only what somebody waits for: a whole answer waits for its settlement. */
class TimedHeld implements Held {
  readonly amount: Held['amount'];
  readonly #held: Held;
  readonly #timed: (durable: Promise<void>) => Promise<void>;

  constructor(held: Held, timed: (durable: Promise<void>) => Promise<void>) {
    this.amount = held.amount;
    this.#held = held;
    this.#timed = timed;
  }

  get durable(): Promise<void> {
    return this.#timed(this.#held.durable);
  }
}

const lineOf = (end: Settlement): Entry => ({
  outcome: end.status,
  ...(end.errorCode === null ? {} : { code: end.errorCode }),
  provider: end.provider,
  model: end.model,
  attempts: end.routing?.attempts.length ?? 0,
  first_token_ms: end.firstTokenMs,
  total_ms: end.totalMs,
  prompt_tokens: end.usage.promptTokens,
  completion_tokens: end.usage.completionTokens,
  cost_usd: formatUsd(end.charge),
});

/** What an operator has to look at is an error; what a caller has to, a warning. */
function levelOf({ status, outcome }: Entry): 'info' | 'warn' | 'error' {
  if (outcome === 'failed' || Number(status) >= 500) return 'error';
  return Number(status) >= 400 ? 'warn' : 'info';
}

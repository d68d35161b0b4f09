import { type AppError, toAppError } from '#shared/errors.ts';
import type { Stop } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerSink } from './answer.ts';
import type { Backpressure } from './answer-listener.ts';
import type { Emit } from './run.ts';

/** Stands between an answer and its reader, who may leave before its end. */
export interface ClientDisconnect {
  /** Hands parts to the reader; once it has left, to nobody. What waits for the reader ends with it, or with the answer. */
  readonly emit: Emit;
  /**
   * Says of whom an answer is asked next, and whether in one piece. `readsOn`: where the reader leaves, whether the rest is
   * read without it, for the count that comes last.
   */
  asks(provider: string, whole: boolean, readsOn: ReadsOn): void;
  /** Why the reader left an answer that is read on for its count alone; null where it didn't. */
  readonly readOnAfter: AppError | null;
  /** The reader left: nobody reads the rest. */
  leave(why: AppError): void;
  /** The reader took too long: there is no time left to read on without it. */
  expire(why: AppError): void;
  /** The answer is over, one way or the other: tells a reader who is still there. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * How an answer goes on without its reader: not at all; for a while, detached from the request, which `stop` ends; or to its end, as if the
 * reader were there.
 */
export type GoingOn = 'no' | 'detached' | 'to_its_end';
export type ReadsOn = (why: AppError, stop: () => void) => GoingOn;

/**
 * Where nobody reads the rest, the upstream is hung up on (wire contract §1.4.6), unless its provider bills a whole answer
 * anyway: then it is read to its end without its client, and billed by its usage (§1.4.8). That holds from the first word on,
 * since nothing is charged before; of an answer in one piece, which has no first word, from its beginning.
 */
export function createClientDisconnect(
  reader: AnswerSink,
  drains: (provider: string) => boolean,
  abort: Stop,
): ClientDisconnect {
  let draining = false;
  let readsOn: ReadsOn = () => 'no';
  let readOnAfter: AppError | null = null;
  let gone: AppError | null = null;
  let release: (() => void) | null = null;
  let giveUp: ((error: unknown) => void) | null = null;
  abort.addEventListener('abort', () => giveUp?.(abort.reason));

  /** Waits for the reader, but not for one that has left, and not beyond the end of the answer. */
  const unlessGone = (waits: Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      release = resolve;
      giveUp = reject;
      waits.then(resolve, (error: unknown) => (gone ? resolve() : reject(error)));
    });

  function goOnWithout(why: AppError): void {
    release?.();
    if (gone) return;
    gone = why;
    reader.fail(why);
  }

  function expire(why: AppError): void {
    if (draining) goOnWithout(why);
    else if (!readOnAfter) abort.abort(why);
  }

  return {
    emit(parts) {
      if (gone) return undefined;
      const [first] = parts;
      if (first?.type === 'route') draining = drains(first.provider);
      const waits = reader.take(parts);
      return waits && unlessGone(waits);
    },
    asks(provider, whole, begin) {
      readsOn = begin;
      draining = whole && drains(provider);
      if (!draining && gone) abort.abort(gone);
    },
    get readOnAfter() {
      return readOnAfter;
    },
    leave(why) {
      if (readOnAfter) return;
      const going = draining ? 'to_its_end' : readsOn(why, () => abort.abort(why));
      if (going === 'detached') readOnAfter = why;
      if (going === 'no') expire(why);
      else goOnWithout(why);
    },
    expire,
    end() {
      if (!gone) reader.end();
    },
    fail(error) {
      if (gone) return;
      gone = toAppError(error);
      reader.fail(gone);
    },
  };
}

/** Accounts whose callers have lately left an answer that was asked for in one piece. */
export interface DisconnectPenalties {
  has(accountId: string): boolean;
  /** A caller of this account leaves one: true where it is the first in an hour. */
  forgives(accountId: string): boolean;
}

const rememberedMs = 3_600_000;
const maxRemembered = 10_000;

/**
 * What was produced of such an answer nobody can say, so that nothing is charged for it, though the upstream may bill it. Who
 * does that is asked for parts for an hour, of which what came is charged, and others that are on their way already are read to
 * their end: it stays an accident, and is no way to spend the operator's money (docs/decisions/043).
 */
export function createDisconnectPenalties(now: () => number): DisconnectPenalties {
  const until = new Map<string, number>();
  const has = (accountId: string) => until.size > 0 && (until.get(accountId) ?? 0) > now();
  return {
    has,
    forgives(accountId) {
      const isFirst = !has(accountId);
      until.delete(accountId);
      until.set(accountId, now() + rememberedMs);
      const [oldest] = until.keys();
      if (until.size > maxRemembered && oldest !== undefined) until.delete(oldest);
      return isFirst;
    },
  };
}

/** What is to happen when an answer's time is up, by whose doing it is. */
interface LateAnswer {
  upstream(): void;
  client(): void;
}

/** A client may keep its answer waiting for half as long again as an upstream may speak: 15 minutes for 10 (wire contract §7). */
const clientFactor = 1.5;
/** How exactly the end is met where a client held the answer back, as a part of the whole. */
const grain = 0.01;

export interface AnswerClock {
  /** Gives the upstream so much in all, where that is more: a slower model is asked. */
  allow(totalMs: number): void;
  stop(): void;
}

/**
 * Times an answer. The upstream is late when it had `totalMs` to itself, the time in which its client kept it waiting left
 * out; the client is, when half as long again has passed and the upstream still is not late.
 */
export function startAnswerClock(
  usualMs: number,
  backpressure: Pick<Backpressure, 'ms'>,
  late: LateAnswer,
): AnswerClock {
  const startedAt = performance.now();
  let totalMs = usualMs;
  let clientIsLate = false;
  let timer = setTimeout(look, totalMs);

  function look(): void {
    const passed = performance.now() - startedAt;
    const maxMs = totalMs * clientFactor;
    const left = totalMs - (passed - backpressure.ms);
    if (left <= 0) {
      late.upstream();
      return;
    }
    if (!clientIsLate && passed >= maxMs) {
      clientIsLate = true;
      late.client();
    }
    const untilClient = clientIsLate ? left : Math.min(left, maxMs - passed);
    timer = setTimeout(look, Math.max(untilClient, totalMs * grain));
  }

  return {
    allow(more) {
      totalMs = Math.max(totalMs, more);
    },
    stop: () => clearTimeout(timer),
  };
}

import { AppError, toAppError } from '#shared/errors.ts';
import { formatWait } from '#shared/format-wait.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import type { Stop } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerObserver, AnswerPart, AnswerSink } from './answer.ts';

/**
 * How an answer goes on when its client has disconnected: not at all; for a while, detached from the request, until `stop` is called; or
 * to its end, as if the client were still there.
 */
export type GoingOn = 'no' | 'detached' | 'to_its_end';
export type ReadsOn = (why: AppError, stop: () => void) => GoingOn;

/** A client that keeps a fast upstream waiting for moments is normal: no server hangs up for less than this in total. */
const noticedMs = 1_000;
/**
 * A broken connection is noticed only when everything that arrived before the break has been read. An upstream that gave up without
 * a word shows it after a minute of silence. A break that comes later than this has another cause.
 */
const recentMs = 120_000;

/** A client may hold its answer back for half as long again as an upstream may take: 15 minutes for 10 (wire contract §7). */
const clientFactor = 1.5;
/** How exactly the time limit is met when a client held the answer back, as a fraction of the limit. */
const grain = 0.01;

/**
 * The client's side of an answer: hands the parts on, notices that the client has disconnected, measures how long the client makes the
 * upstream wait, and ends the answer when its time is up.
 *
 * When nobody reads the rest, the upstream connection is closed (wire contract §1.4.6). Some providers charge for the complete answer
 * anyway: such an answer is read to its end without its client and charged by its usage (§1.4.8). That rule holds from the first part on,
 * because nothing is charged before it, or from the beginning of a non-streaming answer, which has no first part.
 *
 * Its functions are methods. With a function of its own in a field, every instance outlived young garbage collections, together with
 * everything that belongs to its request (docs/decisions/053-what-outlives-a-request.md).
 */
export class AnswerDelivery {
  /** Why the client disconnected from an answer that is read on only for its token count. Null when it has not disconnected. */
  readOnAfter: AppError | null = null;
  /** The tokens that the answer has used, as far as they are counted. */
  tokens = 0;
  readonly #sink: AnswerSink;
  readonly #observer: AnswerObserver | null;
  readonly #drains: (provider: string) => boolean;
  readonly #abort: Stop;
  #draining = false;
  #readsOn: ReadsOn | null = null;
  #gone: AppError | null = null;
  #release: (() => void) | null = null;
  #giveUp: ((error: unknown) => void) | null = null;

  #pastMs = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitEndedAt = Number.NEGATIVE_INFINITY;

  readonly #startedAt = performance.now();
  #totalMs: number;
  #clientIsLate = false;
  #timer: NodeJS.Timeout;

  /** `abort` stops the upstream. `drains`: whether the answers of a provider are read to their end without their client. */
  constructor(
    sink: AnswerSink,
    observer: AnswerObserver | null,
    abort: Stop,
    drains: (provider: string) => boolean,
    totalMs: number,
  ) {
    this.#sink = sink;
    this.#observer = observer;
    this.#abort = abort;
    this.#drains = drains;
    this.#totalMs = totalMs;
    this.#timer = setTimeout(() => this.#checkTime(), totalMs);
    abort.addEventListener('abort', () => this.#giveUp?.(abort.reason));
  }

  /** Hands parts to the client. Returns a promise when the client has to catch up first; it ends when the client disconnects. */
  emit(parts: readonly AnswerPart[]): Promise<void> | undefined {
    const observed = this.#observer?.parts?.(parts);
    return observed === undefined ? this.#send(parts) : observed.then(() => this.#send(parts));
  }

  #send(parts: readonly AnswerPart[]): Promise<void> | undefined {
    if (this.#gone) return undefined;
    const [first] = parts;
    if (first?.type === 'route') this.#draining = this.#drains(first.provider);
    const waits = this.#sink.take(parts);
    return waits && this.#waitForClient(waits);
  }

  /** Waits for the client, but not when it has disconnected, and not beyond the end of the answer. */
  #waitForClient(waits: Promise<void>): Promise<void> {
    if (this.#waiting === 0) this.#waitingSince = performance.now();
    this.#waiting += 1;
    return new Promise<void>((resolve, reject) => {
      this.#release = resolve;
      this.#giveUp = reject;
      waits.then(resolve, (error: unknown) => (this.#gone ? resolve() : reject(error)));
    }).finally(() => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#waitEndedAt = performance.now();
      this.#pastMs += this.#waitEndedAt - this.#waitingSince;
    });
  }

  /** How long the upstream had to wait for the client, in milliseconds, including a wait that goes on. */
  get backpressureMs(): number {
    return this.#pastMs + (this.#waiting > 0 ? performance.now() - this.#waitingSince : 0);
  }

  /** Whether the client has lately made the upstream wait for so long that it is the cause when the upstream breaks off now. */
  get explainsBreak(): boolean {
    return this.backpressureMs >= noticedMs && (this.#waiting > 0 || performance.now() - this.#waitEndedAt < recentMs);
  }

  /**
   * Notes which provider is asked next, and whether for a non-streaming answer. `readsOn` decides whether the rest is read for the token
   * count at its end when the client disconnects.
   */
  asks(provider: string, nonStreaming: boolean, readsOn: ReadsOn): void {
    this.#readsOn = readsOn;
    this.#draining = nonStreaming && this.#drains(provider);
    if (!this.#draining && this.#gone) this.#abort.abort(this.#gone);
  }

  /** Called when the client has disconnected and nobody reads the rest any more. */
  clientDisconnected(why: AppError): void {
    if (this.readOnAfter) return;
    const going = this.#draining ? 'to_its_end' : (this.#readsOn?.(why, () => this.#abort.abort(why)) ?? 'no');
    if (going === 'detached') this.readOnAfter = why;
    if (going === 'no') this.#expire(why);
    else this.#goOnWithout(why);
  }

  /** Called when the client took too long. No time is left to read on without it. */
  #expire(why: AppError): void {
    if (this.#draining) this.#goOnWithout(why);
    else if (!this.readOnAfter) this.#abort.abort(why);
  }

  #goOnWithout(why: AppError): void {
    this.#release?.();
    if (this.#gone) return;
    this.#gone = why;
    this.#sink.fail(why);
  }

  /** Reports how many tokens the answer has used, before its request is settled. */
  measured(tokens: number): void {
    this.tokens = tokens;
    this.#observer?.measured?.(tokens);
  }

  /** Ends the client's part of an answer whose provider is still to be asked what it cost. */
  detached(error: AppError): void {
    this.#observer?.detached?.(error);
    this.#fail(error);
  }

  /** The request is settled: notifies the observer, and then a client that is still there. `error` is null for a complete answer. */
  async end(error: unknown): Promise<void> {
    const observed: MaybePromise<void> = this.#observer?.ended(this.tokens, error);
    if (observed !== undefined) await observed;
    if (error !== null) this.#fail(error);
    else if (!this.#gone) this.#sink.end();
    clearTimeout(this.#timer);
  }

  #fail(error: unknown): void {
    if (this.#gone) return;
    this.#gone = toAppError(error);
    this.#sink.fail(this.#gone);
  }

  /** Gives the upstream at least this much time in total, because a model that thinks is asked. */
  allow(totalMs: number): void {
    this.#totalMs = Math.max(this.#totalMs, totalMs);
  }

  /**
   * The upstream is late when it had `totalMs` to itself, without the time that its client made it wait. The client is late when half as
   * long again has passed and the upstream is still not late.
   */
  #checkTime(): void {
    const passed = performance.now() - this.#startedAt;
    const maxMs = this.#totalMs * clientFactor;
    const left = this.#totalMs - (passed - this.backpressureMs);
    if (left <= 0) return void this.#abort.abort(tookTooLong(this.#totalMs));
    if (!this.#clientIsLate && passed >= maxMs) {
      this.#clientIsLate = true;
      this.#expire(clientWasTooSlow());
    }
    const untilClient = this.#clientIsLate ? left : Math.min(left, maxMs - passed);
    this.#timer = setTimeout(() => this.#checkTime(), Math.max(untilClient, this.#totalMs * grain));
  }
}

/** The upstream was at work all the time, and charges for it: the limit is the gateway's. */
const tookTooLong = (totalMs: number) =>
  new AppError('upstream_timeout', `The answer took longer than the gateway allows: ${formatWait(totalMs)}.`, {
    origin: 'gateway',
  });

const clientWasTooSlow = () =>
  new AppError('client_closed_request', 'The client took its answer so slowly that its time was up.');

/** Accounts whose clients have lately disconnected from a non-streaming answer. */
export interface DisconnectPenalties {
  has(accountId: string): boolean;
  /** A client of this account disconnects from such an answer: true when it is the first in an hour. */
  forgives(accountId: string): boolean;
}

const rememberedMs = 3_600_000;
const maxRemembered = 10_000;

/**
 * Nobody knows how much of a non-streaming answer was produced when its client disconnected, so nothing is charged for it, although the
 * upstream may charge. For an hour after that, the account's answers are asked for as streams, of which the part that came is charged, and
 * other answers that are already under way are read to their end. An accident stays free, and it is no way to spend the operator's money
 * (docs/decisions/043).
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

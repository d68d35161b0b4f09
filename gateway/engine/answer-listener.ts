import { AppError } from '#shared/errors.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import type { AnswerPart } from './answer.ts';
import { routeSummary } from './routing/resolve.ts';
import type { Emit, Run, Try } from './run.ts';

type SaidEvent = Exclude<ProviderEvent, { type: 'start' | 'usage' | 'search' | 'finish' }>;

/** Meters what one upstream says and hands it on, without a pause where nobody has to be waited for. */
export class UpstreamConsumer {
  /** How the upstream ended; null where it has not. */
  finish: Extract<ProviderEvent, { type: 'finish' }> | null = null;
  /** The money did not cover a longer answer. */
  isCut = false;
  readonly #run: Run;
  readonly #current: Try;

  constructor(run: Run, current: Try) {
    this.#run = run;
    this.#current = current;
  }

  /** Takes what came together, and hands on what of it is covered. */
  take(events: readonly ProviderEvent[]): Promise<void> | undefined {
    const { meter } = this.#current;
    const maxSeen = this.#maxSeen;
    const said: SaidEvent[] = [];
    for (let at = 0; at < events.length; at += 1) {
      const event = events[at];
      if (!event) continue;
      const pieces = event.type === 'text-delta' && event.text.length <= pieceChars ? null : splitEvents(event);
      if (pieces) return this.#takeEach(said, pieces, events.slice(at + 1));
      meter.observe(event);
      if (event.type === 'finish') this.finish = event;
      else if (event.type !== 'start' && event.type !== 'usage' && event.type !== 'search') {
        if (event.type === 'tool-call-start' && event.extraContent) {
          this.#run.signed.push({ id: event.id, state: event.extraContent });
        }
        if (meter.outputTokens > maxSeen) return this.#cut(said);
        said.push(event);
      }
    }
    return this.#emit(said);
  }

  /**
   * Says who answers, before the first thing that is said: not before the hold is on the disk where the client reads along. Of
   * a whole answer nothing leaves before the settlement is, and with it the hold.
   */
  speak(): Promise<void> | undefined {
    const { spoken, deps, held } = this.#run;
    if (spoken) return undefined;
    this.#current.firstTokenAt = deps.now();
    return this.#current.whole ? this.#introduce() : held.durable.then(() => this.#introduce());
  }

  #introduce(): Promise<void> | undefined {
    const { attempts, admitted, emit } = this.#run;
    const { model } = this.#current.target;
    this.#run.spoken = true;
    return emit([
      {
        type: 'route',
        provider: model.provider,
        model: model.model,
        attempts: attempts.length + 1,
        summary: routeSummary(admitted.decision, model),
      },
    ]);
  }

  #emit(said: readonly SaidEvent[]): Promise<void> | undefined {
    if (said.length === 0) return undefined;
    const waits = this.speak();
    return waits === undefined ? this.#run.emit(said) : waits.then(() => this.#run.emit(said));
  }

  /** Beyond this the upstream doesn't keep to the limit that it was given, or says more than it can to nobody. */
  get #maxSeen(): number {
    const { reserve, disconnect } = this.#run;
    const allowed = disconnect.readOnAfter === null ? reserve.outputLimit : this.#current.limits.outputTokens;
    return allowed === null ? Number.POSITIVE_INFINITY : allowed * overrun;
  }

  /** What is said beyond that nobody pays for. */
  async #cut(said: readonly SaidEvent[]): Promise<void> {
    await this.#emit(said);
    this.isCut = true;
    throw new AppError('cancelled', 'What is left does not cover a longer answer.');
  }

  async #takeEach(
    said: readonly SaidEvent[],
    pieces: readonly ProviderEvent[],
    rest: readonly ProviderEvent[],
  ): Promise<void> {
    await this.#emit(said);
    for (const piece of pieces) await this.take([piece]);
    await this.take(rest);
  }
}

/** What is seen is an estimate: an upstream that keeps to its limit never seems to give twice as much. */
const overrun = 2;

/** How long an answer had to wait for its client, and with it the upstream, which is not listened to meanwhile. */
export interface Backpressure {
  /** Hands parts on, and measures how long they have to wait. */
  emit(parts: readonly AnswerPart[]): Promise<void> | undefined;
  /** Milliseconds in all, a wait that goes on included. */
  readonly ms: number;
  /** The client has lately kept the upstream waiting for long enough to be the cause where that breaks now. */
  readonly explainsBreak: boolean;
}

/** Any client keeps a quick upstream waiting for moments: no server breaks off for less than this in all. */
const noticedMs = 1_000;
/**
 * A connection that broke while it was not read shows it once all that came before is read; an upstream that gave up
 * without a word, once it was silent for a minute. After that a break has another cause.
 */
const recentMs = 120_000;

/** Measures how long a client keeps the parts of its answer waiting. */
export const measureBackpressure = (push: Emit): Backpressure => new MeasuredBackpressure(push);

/**
 * Its functions are methods: with a function of its own in a field each instance outlived young collections, and with it all
 * that belongs to its request (docs/decisions/053-what-outlives-a-request.md).
 */
class MeasuredBackpressure implements Backpressure {
  readonly #push: Emit;
  #past = 0;
  #waiting = 0;
  #since = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(push: Emit) {
    this.#push = push;
  }

  emit(parts: readonly AnswerPart[]): Promise<void> | undefined {
    const waits = this.#push(parts);
    return waits && this.#measured(waits);
  }

  get ms(): number {
    return this.#past + (this.#waiting > 0 ? performance.now() - this.#since : 0);
  }

  get explainsBreak(): boolean {
    return this.ms >= noticedMs && (this.#waiting > 0 || performance.now() - this.#endedAt < recentMs);
  }

  #measured(waits: Promise<void>): Promise<void> {
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
    return waits.finally(() => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#endedAt = performance.now();
      this.#past += this.#endedAt - this.#since;
    });
  }
}

/** So much text goes out as one event; a provider may send a thousand times as much at once. */
const pieceChars = 16_384;

/**
 * The same as several short events where one is long, else null. A client that does not read then keeps a piece waiting, not
 * copies of it all in each spelling that it goes through.
 */
export function splitEvents(event: ProviderEvent): readonly ProviderEvent[] | null {
  switch (event.type) {
    case 'text-delta':
      return event.text.length > pieceChars && !event.logprobs
        ? getPieces(event.text).map((text) => ({ type: event.type, text }))
        : null;
    case 'reasoning-delta':
      return event.text.length > pieceChars && (event.details ?? []).length <= 1 ? reasoningPieces(event) : null;
    case 'refusal-delta':
      return event.text.length > pieceChars ? getPieces(event.text).map((text) => ({ type: event.type, text })) : null;
    case 'tool-call-delta':
      return event.arguments.length > pieceChars
        ? getPieces(event.arguments).map((text) => ({ ...event, arguments: text }))
        : null;
    default:
      return null;
  }
}

/** Each with its piece of the text; what else is told of the block goes with all of them but for the signature, which goes with the last. */
function reasoningPieces({ text, details }: Extract<ProviderEvent, { type: 'reasoning-delta' }>): ProviderEvent[] {
  const pieces = getPieces(text);
  const [detail] = details ?? [];
  if (!detail) return pieces.map((piece) => ({ type: 'reasoning-delta', text: piece }));
  const { signature, ...unsigned } = detail;
  return pieces.map((piece, at) => {
    const own = at === pieces.length - 1 && signature !== undefined ? { ...unsigned, signature } : unsigned;
    return { type: 'reasoning-delta', text: piece, details: [{ ...own, text: piece }] };
  });
}

/** A pair of surrogates stays together: half of it is no text. */
function getPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const wanted = at + pieceChars;
    const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isSplit ? wanted - 1 : wanted;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

import { AppError } from '#shared/errors.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { routeSummary } from '../routing/explain.ts';
import type { Run, Try } from './run.ts';
import { pieceChars, splitEvents } from './split-events.ts';

type SaidEvent = Exclude<ProviderEvent, { type: 'start' | 'usage' | 'finish' }>;

/** Meters what one upstream says and hands it on, without a pause where nobody has to be waited for. */
export class AnswerListener {
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
    const { reserve } = this.#run;
    const { isEnough } = reserve;
    const said: SaidEvent[] = [];
    for (let at = 0; at < events.length; at += 1) {
      const event = events[at];
      if (!event) continue;
      const pieces = event.type === 'text-delta' && event.text.length <= pieceChars ? null : splitEvents(event);
      if (pieces) return this.#takeEach(said, pieces, events.slice(at + 1));
      meter.observe(event);
      if (event.type === 'finish') this.finish = event;
      else if (event.type !== 'start' && event.type !== 'usage') {
        if (event.type === 'tool-call-start' && event.extraContent) {
          this.#run.signed.push({ id: event.id, state: event.extraContent });
        }
        if (!isEnough && meter.outputTokens > reserve.coveredTokens)
          return this.#takeOnceCovered(said, event, events.slice(at + 1));
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

  /** After what is covered the first event that is not, once it is; then the rest. */
  async #takeOnceCovered(said: readonly SaidEvent[], event: SaidEvent, rest: readonly ProviderEvent[]): Promise<void> {
    await this.#emit(said);
    this.isCut = !(await this.#run.reserve.grow(this.#current.target.model));
    if (this.isCut) throw new AppError('cancelled', 'What is left does not cover a longer answer.');
    await this.#emit([event]);
    await this.take(rest);
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

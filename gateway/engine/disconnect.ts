import { type AppError, toAppError } from '#shared/errors.ts';
import type { Stop } from '../concurrency/stop-signal.ts';
import type { AnswerReader } from './answer.ts';
import type { Emit } from './run.ts';

/** Stands between an answer and its reader, who may leave before its end. */
export interface Disconnect {
  /** Hands a part to the reader; once it has left, to nobody. What waits for the reader ends with it, or with the answer. */
  readonly emit: Emit;
  /** Whether what is asked of the upstream now cannot be had in part: then it is read to its end, whoever leaves. */
  indivisible(yes: boolean): void;
  /** The reader left: nobody reads the rest. */
  leave(why: AppError): void;
  /** The reader may not have the rest. */
  dismiss(why: AppError): void;
  /** The answer is over, one way or the other: tells a reader who is still there. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * Where nobody reads the rest, the upstream is hung up on (wire contract §1.4.6), but for two cases in which it is read to its
 * end without its client, and the answer is billed by its usage: a provider that bills a whole answer anyway, from its first
 * word on (§1.4.8), and an answer that was asked in one piece, of which nobody could say what was produced so far
 * (docs/decisions/043).
 */
export function createDisconnect(reader: AnswerReader, drains: (provider: string) => boolean, abort: Stop): Disconnect {
  let draining = false;
  let whole = false;
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
    gone ??= why;
    release?.();
    reader.fail(why);
  }

  return {
    emit(part) {
      if (gone) return undefined;
      if (part.type === 'route') draining = drains(part.provider);
      const waits = reader.value(part);
      return waits && unlessGone(waits);
    },
    indivisible(yes) {
      whole = yes;
      if (!yes && !draining && gone) abort.abort(gone);
    },
    leave(why) {
      if (draining || whole) goOnWithout(why);
      else abort.abort(why);
    },
    dismiss(why) {
      if (whole) goOnWithout(why);
      else abort.abort(why);
    },
    end() {
      if (!gone) reader.end();
    },
    fail(error) {
      if (!gone) reader.fail(toAppError(error));
    },
  };
}

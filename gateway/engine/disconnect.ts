import { type AppError, toAppError } from '#shared/errors.ts';
import type { Stop } from '../concurrency/stop-signal.ts';
import type { AnswerReader } from './answer.ts';
import type { Emit } from './run.ts';

/** Stands between an answer and its reader, who may leave before its end. */
export interface Disconnect {
  /** Hands parts to the reader; once it has left, to nobody. What waits for the reader ends with it, or with the answer. */
  readonly emit: Emit;
  /** Says of whom an answer is asked next, and whether in one piece. */
  asks(provider: string, whole: boolean): void;
  /** The reader left: nobody reads the rest. */
  leave(why: AppError): void;
  /** The answer is over, one way or the other: tells a reader who is still there. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * Where nobody reads the rest, the upstream is hung up on (wire contract §1.4.6), unless its provider bills a whole answer
 * anyway: then it is read to its end without its client, and billed by its usage (§1.4.8). That holds from the first word on,
 * since nothing is charged before; of an answer in one piece, which has no first word, from its beginning.
 */
export function createDisconnect(reader: AnswerReader, drains: (provider: string) => boolean, abort: Stop): Disconnect {
  let draining = false;
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
    emit(parts) {
      if (gone) return undefined;
      const [first] = parts;
      if (first?.type === 'route') draining = drains(first.provider);
      const waits = reader.take(parts);
      return waits && unlessGone(waits);
    },
    asks(provider, whole) {
      draining = whole && drains(provider);
      if (!draining && gone) abort.abort(gone);
    },
    leave(why) {
      if (draining) goOnWithout(why);
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

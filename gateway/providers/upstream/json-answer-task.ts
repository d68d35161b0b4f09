import type { PlacedNumber } from '../../runtime/json/exact-numbers.ts';
import { workerTask } from '../../runtime/threads/worker-task.ts';

interface JsonAnswer {
  /** Null if it isn't JSON or is too large. */
  readonly value: unknown;
  /** The long whole numbers, which can't be sent between threads within the value. */
  readonly numbers: readonly PlacedNumber[];
}

/** Parses an upstream's JSON answer on a worker thread. */
export const jsonAnswerTask = workerTask<{ readonly blocks: readonly Uint8Array[] }, JsonAnswer>('answer');

import { workerTask } from '../../runtime/threads/worker-task.ts';

/** Parses an upstream's JSON answer on a worker thread; null if it isn't JSON or is too large. */
export const jsonAnswerTask = workerTask<{ readonly blocks: readonly Uint8Array[] }, unknown>('answer');

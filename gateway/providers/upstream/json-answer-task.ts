import { workerTask } from '../../runtime/threads/worker-task.ts';

/** Reads what an upstream answered to a question that is no chat; null where that is no JSON, or too much of it. */
export const jsonAnswerTask = workerTask<{ readonly blocks: readonly Uint8Array[] }, unknown>('answer');

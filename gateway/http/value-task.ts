import { workerTask } from '../runtime/threads/worker-task.ts';

export interface Blocks {
  readonly blocks: readonly Uint8Array[];
}

/** Reads a JSON object within the limits of requests. */
export const valueTask = workerTask<Blocks, Record<string, unknown>>('value');

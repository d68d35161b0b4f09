import { workerTask } from '../../runtime/threads/worker-task.ts';
import type { EmbeddingFields } from './read-fields.ts';

export interface EmbeddingBody {
  readonly blocks: readonly Uint8Array[];
  readonly strict: boolean;
}

/** Reads and checks a large request on a worker thread. */
export const embeddingCallTask = workerTask<EmbeddingBody, EmbeddingFields>('embedding call');

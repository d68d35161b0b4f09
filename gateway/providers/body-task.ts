import { workerTask } from '../runtime/threads/worker-task.ts';
import type { BodyWriter } from './changed-request.ts';
import type { ProviderRequest } from './provider.ts';
import type { FetchedFiles } from './upstream/fetched-files.ts';

interface BodyInput {
  readonly request: ProviderRequest;
  readonly writer: BodyWriter;
  readonly fetched: FetchedFiles | null;
}

/** Writes the body of an upstream request on a worker thread. */
export const bodyTask = workerTask<BodyInput, Uint8Array>('body');

import { workerPool } from '../threads/worker-pool.ts';
import { addressesIn } from '../upstream/fetched-files.ts';
import { bodyTask } from './body-task.ts';
import { shareOf } from './packed-request.ts';
import type { ProviderRequest } from './provider.ts';
import { type BodyWriter, writtenBody } from './written-body.ts';

/** What an upstream is sent, with the files that were fetched for it; written on a thread of its own where it is long. */
export async function upstreamBody(
  { fetched = null, ...request }: ProviderRequest,
  writer: BodyWriter,
): Promise<object | Uint8Array> {
  if (!request.packed && !fetched) return writtenBody(request, writer);
  return workerPool.run(
    bodyTask,
    { request, writer, fetched },
    fetched ? [...fetched.values()].map(({ bytes }) => bytes) : [],
    shareOf(request.packed),
  );
}

/** The pictures and files that a request names by their address, each with the first place that names it. */
export const remoteFilesOf = ({ packed, messages }: ProviderRequest): ReadonlyMap<string, string> =>
  packed ? packed.remoteFiles : addressesIn(messages);

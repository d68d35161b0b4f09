import { workerPool } from '../threads/worker-pool.ts';
import { addressesIn } from '../upstream/fetched-images.ts';
import { bodyTask } from './body-task.ts';
import { shareOf } from './packed-request.ts';
import type { ProviderRequest } from './provider.ts';
import { type BodyWriter, writtenBody } from './written-body.ts';

/** What an upstream is sent, with the images that were fetched for it; written on a thread of its own where it is long. */
export async function upstreamBody(
  { images = null, ...request }: ProviderRequest,
  writer: BodyWriter,
): Promise<object | Uint8Array> {
  if (!request.packed && !images) return writtenBody(request, writer);
  return workerPool.run(
    bodyTask,
    { request, writer, images },
    images ? [...images.values()].map(({ bytes }) => bytes) : [],
    shareOf(request.packed),
  );
}

/** The pictures that a request names by their address, each with the first place that names it. */
export const remoteImagesOf = ({ packed, messages }: ProviderRequest): ReadonlyMap<string, string> =>
  packed ? packed.remoteImages : addressesIn(messages);

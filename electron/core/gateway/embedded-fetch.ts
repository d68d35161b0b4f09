import type { Gateway } from '#gateway/gateway.ts';

/** Never resolved by anyone: requests to it go straight to the gateway inside this process. */
export const embeddedRoot = 'http://gateway.embedded';

/** The embedded gateway as a `fetch`: no socket, and aborting ends the answer's body as it would on one. */
export function embeddedFetch(gateway: Pick<Gateway, 'fetch'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? request.signal;
    // A request's own signal stops following the caller's once the request is collected: then a Stop would do nothing.
    Object.defineProperty(request, 'signal', { value: signal });
    signal.throwIfAborted();
    const response = await untilAborted(gateway.fetch(request), signal);
    if (!response.body) return response;
    const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
    return new Response(body, response);
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

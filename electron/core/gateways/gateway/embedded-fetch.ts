import type { Gateway } from '#gateway/gateway.ts';

/** Never resolved by DNS: such requests go to the gateway in this process. */
export const embeddedRoot = 'http://gateway.embedded';

/** A `fetch` for the built-in gateway, without a socket; aborting ends the response body as on a socket. */
export function embeddedFetch(gateway: Pick<Gateway, 'fetch'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? request.signal;
    // When a `Request` is garbage-collected, its own signal no longer follows the caller’s, and Stop would do nothing.
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

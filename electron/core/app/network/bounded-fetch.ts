import { refusal } from '#shared/language/refusals.ts';

export interface BodyLimits {
  /** The most bytes of a complete body. */
  readonly body: number;
  /** The most bytes of one event in an event stream. The stream itself may be endless. */
  readonly event: number;
}

/**
 * Far more than gateways and tool servers send: a list of a thousand models takes two megabytes, an image in an event a
 * few.
 */
export const usualBodyLimits: BodyLimits = { body: 32 * 1024 * 1024, event: 48 * 1024 * 1024 };

/**
 * A `fetch` that limits the size of answers, because a remote server may send an endless one. Reading beyond the limit
 * fails.
 */
export const boundedFetch =
  (send: typeof fetch, limits: BodyLimits = usualBodyLimits): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.body) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const count = isStream ? countEvent() : countBody();
    const limit = isStream ? limits.event : limits.body;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) > limit)
          throw refusal('upstream_bad_response', 'bodyTooLong', { megabytes: limit / 1_048_576 });
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(bounded), response);
  };

function countBody(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.byteLength;
    return bytes;
  };
}

/** Returns a function that counts the bytes since the last empty line, which is what ends an event. */
function countEvent(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let endsLine = false;
  return (chunk) => {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
    const isEnded = end >= 0 || (endsLine && /^\r?\n/.test(text.toString('latin1', 0, 2)));
    bytes = isEnded ? text.length - Math.max(end, 0) : bytes + text.length;
    endsLine = text.at(-1) === 0x0a;
    return bytes;
  };
}

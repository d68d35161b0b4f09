import { EventSourceParserStream, ParseError } from 'eventsource-parser/stream';
import { GatewayError } from './gateway-error.ts';

/** An event may contain a generated image. The base64 of a 4096 × 4096 PNG is shorter than this. */
const maxEventChars = 33_554_432;

/**
 * Yields the `data:` payloads of a server-sent event stream until `[DONE]`. A stream that ends without that mark was
 * cut off, so it throws (wire contract §0.3). With `tolerant`, it also accepts JSON lines, and a single non-streaming
 * answer as the only event.
 */
export async function* streamEvents(response: Response, { tolerant = false } = {}): AsyncGenerator<string> {
  const type = response.headers.get('content-type') ?? '';
  if (tolerant && response.body && type.startsWith('application/json')) return yield await response.text();
  if (tolerant && response.body && /^application\/(x-)?(ndjson|jsonl?)/.test(type))
    return yield* getLines(response.body);
  if (!response.body || !type.startsWith('text/event-stream')) {
    throw new GatewayError('The gateway did not answer with a stream.', {
      status_code: response.status,
      code: 'not_a_gateway',
    });
  }
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxEventChars }));
  const reader = events.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause: unknown) => {
        // An event without an end.
        throw cause instanceof ParseError ? cutOff(cause) : cause;
      });
      if (done) throw cutOff();
      if (value.data === '[DONE]') return;
      yield value.data;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Yields the non-empty lines of a text. Throws at the end, because the end of JSON lines doesn't prove that the answer
 * is complete.
 */
async function* getLines(body: NonNullable<Response['body']>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxEventChars) throw cutOff();
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
  throw cutOff();
}

const cutOff = (cause?: unknown) =>
  new GatewayError('The answer was cut off before its end.', { status_code: 502, code: 'truncated', cause });

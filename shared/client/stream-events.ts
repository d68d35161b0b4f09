import { EventSourceParserStream } from 'eventsource-parser/stream';
import { GatewayError } from './gateway-error.ts';

/** An event may carry an image that a model made: the base64 of a PNG of 4096 × 4096 has less. */
const maxEventChars = 33_554_432;

/**
 * The `data:` payloads of a server-sent event stream until `[DONE]`. A stream that ends without it was cut off, which
 * throws (wire contract §0.3). `tolerant`: also the lines of a stream of JSON, or a whole answer as the only one.
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
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxEventChars, onError: 'terminate' }));
  const reader = events.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw cutOff();
      if (value.data === '[DONE]') return;
      yield value.data;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Lines of a text that are not empty. The end of the text is no mark of a complete answer. */
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

const cutOff = () =>
  new GatewayError('The answer was cut off before its end.', { status_code: 502, code: 'truncated' });

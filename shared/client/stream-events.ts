import { EventSourceParserStream } from 'eventsource-parser/stream';
import { GatewayError } from './gateway-error.ts';

/** An event may carry an image that a model made: the base64 of a PNG of 4096 × 4096 has less. */
const maxEventChars = 33_554_432;

/**
 * The `data:` payloads of a server-sent event stream until `[DONE]`. A stream that ends without it was cut off, which
 * throws (wire contract §0.3).
 */
export async function* streamEvents(response: Response): AsyncGenerator<string> {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
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
      if (done)
        throw new GatewayError('The answer was cut off before its end.', { status_code: 502, code: 'truncated' });
      if (value.data === '[DONE]') return;
      yield value.data;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { AppError } from '#shared/errors.ts';

const maxEventChars = 1_048_576;

/**
 * The events of a server-sent event stream, one batch for each chunk of bytes. Splitting inside a code point or a line
 * changes nothing. An event that is larger than 1 MiB is refused as `upstream_bad_response`.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const decoder = new TextDecoder();
  let batch: EventSourceMessage[] = [];
  let broken = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (event) => batch.push(event),
    onError: (error) => {
      broken ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const take = (text: string): EventSourceMessage[] => {
    parser.feed(text);
    if (broken) throw new AppError('upstream_bad_response', 'The provider sent an event that is too large.');
    const events = batch;
    batch = [];
    return events;
  };
  for await (const bytes of body) yield* take(decoder.decode(bytes, { stream: true }));
  yield* take(decoder.decode());
}

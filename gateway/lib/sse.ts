import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { AppError } from '#shared/errors.ts';

const maxEventChars = 1_048_576;

/** What the events of one chunk of bytes say. A failure in the middle does not take along what came before it. */
export interface ReadTogether<Said> {
  readonly said: Said[];
  readonly failure: { readonly error: unknown } | null;
}

export function readTogether<Said>(events: readonly string[], read: (data: string) => Said[]): ReadTogether<Said> {
  const said: Said[] = [];
  try {
    for (const data of events) for (const one of read(data)) said.push(one);
  } catch (error) {
    return { said, failure: { error } };
  }
  return { said, failure: null };
}

/**
 * The `data` of a server-sent event stream's events, those of one chunk of bytes together. Splitting inside a code point or a line
 * changes nothing. An event that is larger than 1 MiB is refused as `upstream_bad_response`.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let batch: string[] = [];
  let broken = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (event) => batch.push(event.data),
    onError: (error) => {
      broken ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const take = (text: string): readonly string[] => {
    parser.feed(text);
    if (broken) throw new AppError('upstream_bad_response', 'The provider sent an event that is too large.');
    const events = batch;
    batch = [];
    return events;
  };
  for await (const bytes of body) {
    const events = take(decoder.write(bytes));
    if (events.length > 0) yield events;
  }
  yield take(decoder.end());
}

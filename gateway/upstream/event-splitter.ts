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

/** Splits bytes into the `data` of a server-sent event stream's events. */
export interface EventSplitter {
  /** The events that are complete with these bytes. */
  take(bytes: Uint8Array): readonly string[];
  /** What is complete with the end of the stream. */
  end(): readonly string[];
}

/**
 * Splitting inside a code point or a line changes nothing. An event that is larger than 1 MiB is refused as
 * `upstream_bad_response`.
 */
export function createEventSplitter(): EventSplitter {
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
  const feed = (text: string): readonly string[] => {
    parser.feed(text);
    if (broken) throw new AppError('upstream_bad_response', 'The provider sent an event that is too large.');
    const events = batch;
    batch = [];
    return events;
  };
  // A buffer shares its memory with the bytes; the decoder would copy anything else.
  const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { take: (bytes) => feed(decoder.write(bufferOf(bytes))), end: () => feed(decoder.end()) };
}

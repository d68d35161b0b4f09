import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { AppError } from '#shared/errors.ts';

const maxEventChars = 1_048_576;

/** What the events of one chunk of bytes say. A failure in the middle does not take along what came before it. */
export interface ReadTogether<Said> {
  readonly said: Said[];
  readonly failure: { readonly error: unknown } | null;
}

export function readTogether<Said>(
  events: readonly string[],
  reader: { read(data: string): Said[] },
): ReadTogether<Said> {
  const said: Said[] = [];
  try {
    for (const data of events) for (const one of reader.read(data)) said.push(one);
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

/** Beyond this the rest of an event is left to the parser, which does not begin to look anew with every piece. */
const shortRest = 16_384;
const field = 'data: ';

/**
 * Splitting inside a code point or a line changes nothing. An event of more than `maxChars`, 1 MiB unless it is said, is refused as
 * `upstream_bad_response`. Most upstreams send one line `data: …` an event and nothing else, which is cut out here; from the
 * first thing on that is anything else, the parser reads the stream.
 */
export function createEventSplitter(maxChars: number = maxEventChars): EventSplitter {
  const decoder = new StringDecoder('utf8');
  let parse: ((text: string) => readonly string[]) | null = null;
  let rest = '';
  let begun = false;

  function parseFrom(text: string, before: readonly string[]): readonly string[] {
    parse = createFeed(maxChars);
    rest = '';
    // A byte order mark counts at the beginning only, and the parser has not seen it.
    if (begun) parse(': begun\n');
    return [...before, ...parse(text)];
  }

  function take(text: string): readonly string[] {
    if (parse) return parse(text);
    const all = rest === '' ? text : rest + text;
    if (text.includes('\r')) return parseFrom(all, []);
    const events: string[] = [];
    let from = 0;
    for (let end = all.indexOf('\n'); end >= 0 && end + 1 < all.length; end = all.indexOf('\n', from)) {
      const isAllOfOne = all[end + 1] === '\n' && end > from + field.length && all.startsWith(field, from);
      if (!isAllOfOne) return parseFrom(all.slice(from), events);
      events.push(all.slice(from + field.length, end));
      from = end + 2;
      begun = true;
    }
    if (all.length - from > shortRest) return parseFrom(all.slice(from), events);
    rest = all.slice(from);
    return events;
  }

  // A buffer shares its memory with the bytes; the decoder would copy anything else.
  const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { take: (bytes) => take(decoder.write(bufferOf(bytes))), end: () => take(decoder.end()) };
}

function createFeed(maxBufferSize: number): (text: string) => readonly string[] {
  let batch: string[] = [];
  let broken = false;
  const parser = createParser({
    maxBufferSize,
    onEvent: (event) => batch.push(event.data),
    onError: (error) => {
      broken ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  return (text) => {
    parser.feed(text);
    if (broken) throw new AppError('upstream_bad_response', 'The provider sent an event that is too large.');
    const events = batch;
    batch = [];
    return events;
  };
}

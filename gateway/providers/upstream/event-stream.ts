import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { AppError } from '#shared/errors.ts';
import { asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { pushBytes, wholeJson } from './upstream-fetch.ts';
import type { UpstreamResponse } from './upstream-response.ts';

/** Turns the `data` of one answer's events into items. */
interface EventReader<Item> {
  read(data: string): Item[];
  /** Returns the last items, at the end of the answer. */
  end?(): Item[];
  /** Maximum length in characters, if an event may be longer than 1 MiB or a non-streaming answer longer than 8 MiB. */
  readonly maxEvent?: number | undefined;
  /** True once the last event was read. Everything after it is ignored. */
  readonly done?: boolean;
  /** True once the answer is complete, although a little may follow. It's waited for only a moment. */
  readonly isComplete?: boolean;
}

type Take<Item> = (items: readonly Item[]) => Promise<void> | undefined;

/**
 * Reads an upstream's server-sent events to their end. Events that arrive together are taken together, immediately if
 * the bytes are pushed. While the promise of `take` is pending, the upstream waits. If reading an event fails, the
 * items before it are taken first.
 */
export function streamEvents<Item>(
  response: UpstreamResponse,
  provider: string,
  reader: EventReader<Item>,
  take: Take<Item>,
  silentMs?: number,
): Promise<void> {
  const splitter = createEventSplitter(reader.maxEvent);
  let hasBegun = false;
  const until = {
    get done() {
      return reader.done === true;
    },
    get isComplete() {
      return reader.isComplete === true;
    },
    get hasBegun() {
      return hasBegun;
    },
  };
  const takeBytes = (bytes: Uint8Array | null): Promise<void> | undefined => {
    const events = bytes === null ? splitter.end() : splitter.take(bytes);
    const items: Item[] = [];
    try {
      for (const data of events) for (const item of reader.read(data)) items.push(item);
    } catch (error) {
      // If reading one event fails, the items before it are still delivered.
      return failAfter(items.length > 0 ? take(items) : undefined, error);
    }
    hasBegun ||= items.length > 0;
    return items.length > 0 ? take(items) : undefined;
  };
  const finish = async () => {
    await takeBytes(null);
    const last = reader.end?.() ?? [];
    if (last.length > 0) await take(last);
  };
  return pushBytes(response, provider, takeBytes, until, silentMs).then(finish);
}

function failAfter(waits: Promise<void> | undefined, error: unknown): Promise<void> {
  if (!waits) throw error;
  return waits.then(() => {
    throw error;
  });
}

/** Reads an answer in either form, streamed or non-streaming. */
interface AnswerEventReader<Item> extends EventReader<Item> {
  readWhole(answer: JsonObject): Item[];
}

/**
 * Reads an upstream's answer in the form in which it arrives. The upstream chooses the form: not every server does what
 * was requested, and some can't stream at all.
 */
export function answerEvents<Item>(
  response: UpstreamResponse,
  provider: string,
  reader: AnswerEventReader<Item>,
  context: { readonly answersInParts?: () => void; readonly silentMs?: number },
  take: Take<Item>,
): Promise<void> {
  if (!isJson(response)) {
    context.answersInParts?.();
    return streamEvents(response, provider, reader, take, context.silentMs);
  }
  return wholeJson(response, provider, reader.maxEvent).then((answer) => take(reader.readWhole(asObject(answer))));
}

const isJson = ({ headers }: UpstreamResponse) =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '');

const maxEventChars = 1_048_576;

/** Splits bytes into the `data` of server-sent events. */
interface EventSplitter {
  /** Returns the events that are complete with these bytes. */
  take(bytes: Uint8Array): readonly string[];
  /** Returns the events that are complete with the end of the stream. */
  end(): readonly string[];
}

/** A longer unfinished event is left to the parser, which doesn't scan it again from its beginning with every piece. */
const shortRest = 16_384;
const field = 'data: ';

/**
 * Bytes may be split anywhere, even inside a code point or a line. An event of more than `maxChars` (by default 1 MiB)
 * is refused as `upstream_bad_response`. Most upstreams send each event as one line `data: …` and nothing else; these
 * are cut out here. From the first line of another form on, the parser reads the stream.
 */
export function createEventSplitter(maxChars: number = maxEventChars): EventSplitter {
  const decoder = new StringDecoder('utf8');
  let parse: ((text: string) => readonly string[]) | null = null;
  let rest = '';
  let begun = false;

  function parseFrom(text: string, before: readonly string[]): readonly string[] {
    parse = createFeed(maxChars);
    rest = '';
    // A byte order mark is only allowed at the beginning of a stream. The parser hasn't seen the beginning, so it gets
    // a comment first.
    if (begun) parse(': begun\n');
    return [...before, ...parse(text)];
  }

  function take(bytes: Uint8Array | null): readonly string[] {
    // A buffer shares its memory with the bytes; the decoder would copy anything else.
    const text =
      bytes === null ? decoder.end() : decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
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

  return { take, end: () => take(null) };
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
    if (broken) {
      const message = 'The provider sent an event that is larger than the gateway reads.';
      throw new AppError('upstream_bad_response', message, { origin: 'gateway' });
    }
    const events = batch;
    batch = [];
    return events;
  };
}

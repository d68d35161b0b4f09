import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { AppError } from '#shared/errors.ts';
import { asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { pushBytes, wholeJson } from './upstream-fetch.ts';
import type { UpstreamResponse } from './upstream-response.ts';

/** Understands the `data` of one answer's events. */
interface EventReader<Said> {
  read(data: string): Said[];
  /** What is left to say at the end of the answer. */
  end?(): Said[];
  /** Where an event may be longer than 1 MiB, and a whole answer longer than 8: its longest, in characters. */
  readonly maxEvent?: number | undefined;
  /** The last word was read: nothing that follows counts. */
  readonly done?: boolean;
}

type Take<Said> = (said: readonly Said[]) => Promise<void> | undefined;

/**
 * Reads an upstream's server-sent events to their end: what came together is taken together, at once where the bytes are
 * pushed. While the promise of `take` is open, the upstream waits. A failure in the middle comes after what was said
 * before it.
 */
export function streamEvents<Said>(
  response: UpstreamResponse,
  provider: string,
  reader: EventReader<Said>,
  take: Take<Said>,
  silentMs?: number,
): Promise<void> {
  const splitter = createEventSplitter(reader.maxEvent);
  const tell = (events: readonly string[]): Promise<void> | undefined => {
    if (events.length === 0) return undefined;
    const { said, failure } = readTogether(events, reader);
    const waits = said.length > 0 ? take(said) : undefined;
    if (!failure) return waits;
    if (!waits) throw failure.error;
    return waits.then(() => {
      throw failure.error;
    });
  };
  const finish = async () => {
    await tell(splitter.end());
    const last = reader.end?.() ?? [];
    if (last.length > 0) await take(last);
  };
  const taken = (bytes: Uint8Array) => tell(splitter.take(bytes));
  return pushBytes(response, provider, taken, () => reader.done === true, silentMs).then(finish);
}

/** Understands an answer however it comes. */
interface AnswerEventReader<Said> extends EventReader<Said> {
  readWhole(answer: JsonObject): Said[];
}

/**
 * Reads an upstream's answer in the form in which it comes, which is its own choice: not every server does as it was asked, and
 * some may not stream at all.
 */
export function answerEvents<Said>(
  response: UpstreamResponse,
  provider: string,
  reader: AnswerEventReader<Said>,
  context: { readonly answersInParts?: () => void; readonly silentMs?: number },
  take: Take<Said>,
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

/** What the events of one chunk of bytes say. A failure in the middle does not take along what came before it. */
interface ReadTogether<Said> {
  readonly said: Said[];
  readonly failure: { readonly error: unknown } | null;
}

function readTogether<Said>(events: readonly string[], reader: { read(data: string): Said[] }): ReadTogether<Said> {
  const said: Said[] = [];
  try {
    for (const data of events) for (const one of reader.read(data)) said.push(one);
  } catch (error) {
    return { said, failure: { error } };
  }
  return { said, failure: null };
}

/** Splits bytes into the `data` of a server-sent event stream's events. */
interface EventSplitter {
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
  const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { take: (bytes) => take(decoder.write(toBuffer(bytes))), end: () => take(decoder.end()) };
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

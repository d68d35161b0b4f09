import { asObject, type JsonObject } from '../json/json-value.ts';
import { createEventSplitter, readTogether } from './event-splitter.ts';
import { pushBytes, wholeJson } from './upstream-fetch.ts';
import type { UpstreamResponse } from './upstream-response.ts';

/** Understands the `data` of one answer's events. */
export interface EventReader<Said> {
  read(data: string): Said[];
  /** What is left to say at the end of the answer. */
  end?(): Said[];
  /** Where an event may be longer than 1 MiB: its longest, in characters. */
  readonly longestEvent?: number;
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
  const splitter = createEventSplitter(reader.longestEvent);
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
export interface AnswerEventReader<Said> extends EventReader<Said> {
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
  return wholeJson(response, provider).then((answer) => take(reader.readWhole(asObject(answer))));
}

const isJson = ({ headers }: UpstreamResponse) =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '');

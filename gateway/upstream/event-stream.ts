import { asObject, type JsonObject } from '../json/json-value.ts';
import { createEventSplitter, readTogether } from './event-splitter.ts';
import { pushBytes, wholeJson } from './upstream-fetch.ts';
import type { UpstreamResponse } from './upstream-response.ts';

/** Understands the `data` of one answer's events. */
export interface EventReader<Said> {
  read(data: string): Said[];
  /** What is left to say at the end of the answer. */
  end?(): Said[];
  /** The last word was read: nothing that follows counts. */
  readonly done?: boolean;
}

type Take<Said> = (said: readonly Said[]) => Promise<void> | undefined;

/**
 * Reads an upstream's server-sent events to their end: what came together is taken together, at once where the bytes are
 * pushed. While the promise of `take` is open, the upstream waits. A failure in the middle comes after what was said
 * before it.
 */
export async function streamEvents<Said>(
  response: UpstreamResponse,
  provider: string,
  reader: EventReader<Said>,
  take: Take<Said>,
): Promise<void> {
  const splitter = createEventSplitter();
  const tell = (events: readonly string[]): Promise<void> | undefined => {
    if (events.length === 0) return undefined;
    const { said, failure } = readTogether(events, reader.read);
    const waits = said.length > 0 ? take(said) : undefined;
    if (!failure) return waits;
    if (!waits) throw failure.error;
    return waits.then(() => {
      throw failure.error;
    });
  };
  await pushBytes(
    response,
    provider,
    (bytes) => tell(splitter.take(bytes)),
    () => reader.done === true,
  );
  await tell(splitter.end());
  const last = reader.end?.() ?? [];
  if (last.length > 0) await take(last);
}

/** Understands an answer however it comes. */
export interface AnswerEventReader<Said> extends EventReader<Said> {
  readWhole(answer: JsonObject): Said[];
}

/**
 * Reads an upstream's answer in the form in which it comes, which is its own choice: not every server does as it was asked, and
 * some may not stream at all.
 */
export async function answerEvents<Said>(
  response: UpstreamResponse,
  provider: string,
  reader: AnswerEventReader<Said>,
  context: { readonly answersInParts?: () => void },
  take: Take<Said>,
): Promise<void> {
  if (!isJson(response)) {
    context.answersInParts?.();
    return streamEvents(response, provider, reader, take);
  }
  await take(reader.readWhole(asObject(await wholeJson(response, provider))));
}

const isJson = ({ headers }: UpstreamResponse) =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '');

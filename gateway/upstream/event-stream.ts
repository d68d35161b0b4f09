import { createEventSplitter, readTogether } from './event-splitter.ts';
import { pushBytes } from './upstream-fetch.ts';
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

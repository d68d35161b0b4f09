import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { refusal } from '#shared/language/refusals.ts';
import { openNotifier } from './pace.ts';

type Event<Type extends ChatEvent['type']> = Extract<ChatEvent, { type: Type }>;
type Unnumbered<Type extends ChatEvent['type']> = Omit<Event<Type>, 'seq' | 'total' | 'comparisons'>;

type WordsEvent = Event<'text-delta'> | Event<'reasoning-delta'>;

/** A reader's request for another page of the branch. */
export interface PageRequest {
  readonly type: 'page-wanted';
  readonly to: 'older' | 'newer' | 'end' | 'message';
  readonly messageId: string | null;
  settle(failure?: unknown): void;
}

/**
 * An event in a conversation. Further data is read only when a reader takes the event, so buffered events stay small.
 */
export type ThreadChange =
  | WordsEvent
  | Unnumbered<'message-added'>
  | Unnumbered<'message-updated'>
  | PageRequest
  /** The shown branch has changed from this message on. */
  | { readonly type: 'branch-changed'; readonly messageId: string }
  /** The conversation's title, model, placement or costs other than answers have changed. */
  | { readonly type: 'conversation-changed' }
  | { readonly type: 'all-changed' };

/** The unread events of one reader. Deltas are merged, and the size is limited. */
interface EventBuffer {
  add(event: ThreadChange): void;
  /** Waits for an event. Returns false when aborted. */
  ready(signal: AbortSignal | undefined): Promise<boolean>;
  /**
   * Returns all events since the last call. `overflow` means that events were dropped, so the reader needs a snapshot
   * first.
   */
  take(): { events: ThreadChange[]; overflow: boolean };
}

const maxChars = 262_144;
const maxEvents = 64;

export function openEventBuffer(): EventBuffer {
  const notifier = openNotifier();
  let events: ThreadChange[] = [];
  let chars = 0;
  let overflow = false;

  /** Drops what a snapshot will replace. Page requests stay, and so do the latest ends of answers. */
  const spill = () => {
    overflow = true;
    const ends = new Set<ThreadChange>(
      events.filter((event) => event.type === 'message-updated').slice(-maxEvents / 2),
    );
    events = events.filter((event) => event.type === 'page-wanted' || ends.has(event));
    chars = 0;
  };

  return {
    add(event) {
      if (isDelta(event)) {
        if (overflow) return notifier.notify();
        chars += event.text.length;
        // Looks for the last event of the same answer, because several answers may run at once.
        const index = events.findLastIndex((other) => getAbout(other) === event.messageId);
        const last = events[index];
        if (last && isDelta(last) && last.type === event.type)
          events[index] = { ...last, text: last.text + event.text };
        else events.push(event);
      } else if (!overflow || event.type === 'message-updated' || event.type === 'page-wanted') {
        if (event.type === 'message-added') chars += event.message.text.length;
        events.push(event);
      }
      if (chars > maxChars || events.length > maxEvents) spill();
      notifier.notify();
    },
    ready: (signal) => notifier.next(signal),
    take() {
      const taken = { events, overflow };
      events = [];
      chars = 0;
      overflow = false;
      return taken;
    },
  };
}

const getAbout = (event: ThreadChange): string | null =>
  'message' in event ? event.message.id : isDelta(event) ? event.messageId : null;

const isDelta = (event: ThreadChange): event is WordsEvent =>
  event.type === 'text-delta' || event.type === 'reasoning-delta';

export interface ThreadReader {
  readonly id: string;
  readonly buffer: EventBuffer;
  close(): void;
}

/** Keeps the readers of each conversation. A reader that doesn't read costs one buffer of limited size. */
export function openThreadReaders(newId: () => string) {
  const readers = new Map<string, { readonly conversationId: string; readonly buffer: EventBuffer }>();
  const asked = new Map<string, Set<PageRequest>>();
  const closed = () => refusal('not_found', 'viewClosed');

  return {
    publish(conversationId: string, change: ThreadChange): void {
      for (const reader of readers.values()) if (reader.conversationId === conversationId) reader.buffer.add(change);
    },

    isWatched: (conversationId: string): boolean =>
      [...readers.values()].some((reader) => reader.conversationId === conversationId),

    /** Sends every reader a snapshot, because everything may have changed. */
    refreshAll(): void {
      for (const { buffer } of readers.values()) buffer.add({ type: 'all-changed' });
    },

    open(conversationId: string): ThreadReader {
      const id = newId();
      const buffer = openEventBuffer();
      readers.set(id, { conversationId, buffer });
      asked.set(id, new Set());
      return {
        id,
        buffer,
        close() {
          readers.delete(id);
          for (const request of asked.get(id) ?? []) request.settle(closed());
          asked.delete(id);
        },
      };
    },

    /** Requests a page. Resolves when the page is in the reader’s stream. */
    ask(readerId: string, wanted: Pick<PageRequest, 'to' | 'messageId'>): Promise<void> {
      return new Promise((resolve, reject) => {
        const reader = readers.get(readerId);
        if (!reader) return reject(closed());
        const request: PageRequest = {
          type: 'page-wanted',
          ...wanted,
          settle(failure) {
            asked.get(readerId)?.delete(request);
            if (failure === undefined) resolve();
            else reject(failure);
          },
        };
        asked.get(readerId)?.add(request);
        reader.buffer.add(request);
      });
    },
  };
}

export type ThreadReaders = ReturnType<typeof openThreadReaders>;

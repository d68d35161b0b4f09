import { isCoreLost } from '../../text/error-text.ts';

export interface DebouncedSaver {
  /** Marks a draft as changed: it is saved when typing pauses, and at least once a second. */
  touch(chat: string): void;
  /** Saves pending drafts now. */
  flush(): void;
  /** Calls something for this chat after what is being saved of it, and before what is saved next. */
  between<T>(chat: string, call: () => Promise<T>): Promise<T>;
  /** Suspends saving of this chat until released: while its text is being sent, the saved draft must stay. */
  hold(chat: string): () => void;
}

const pauseMs = 250;
const maxMs = 1000;

/** Saves drafts to the core, one call per chat at a time, so that an older one never overtakes a newer. */
export function createDebouncedSaver<Draft>(
  read: (chat: string) => Draft,
  put: (chat: string, draft: Draft) => Promise<void>,
  failed: (error: unknown) => void,
  /** Called once all that had failed is saved after all. */
  mended: () => void,
): DebouncedSaver {
  const dirty = new Set<string>();
  const unsaved = new Set<string>();
  const held = new Set<string>();
  const writing = new Map<string, Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let since: number | null = null;

  function between<T>(chat: string, call: () => Promise<T>): Promise<T> {
    const next = (writing.get(chat) ?? Promise.resolve()).then(call);
    writing.set(
      chat,
      next.then(
        () => {},
        () => {},
      ),
    );
    return next;
  }

  function write(chat: string): void {
    between(chat, () => put(chat, read(chat))).then(
      () => {
        if (unsaved.delete(chat) && unsaved.size === 0) mended();
      },
      (error: unknown) => {
        // Saved by the next flush, which happens when the core is back.
        dirty.add(chat);
        if (isCoreLost(error)) return;
        unsaved.add(chat);
        failed(error);
      },
    );
  }

  function flush(): void {
    clearTimeout(timer);
    since = null;
    for (const chat of dirty) {
      if (held.has(chat)) continue;
      dirty.delete(chat);
      write(chat);
    }
  }

  return {
    flush,
    between,
    touch(chat) {
      dirty.add(chat);
      since ??= Date.now();
      clearTimeout(timer);
      timer = setTimeout(flush, Math.max(0, Math.min(pauseMs, since + maxMs - Date.now())));
    },
    hold(chat) {
      held.add(chat);
      return () => {
        held.delete(chat);
        dirty.add(chat);
        flush();
      };
    },
  };
}

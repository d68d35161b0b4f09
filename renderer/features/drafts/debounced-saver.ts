import { isCoreLost } from '../../text/error-text.ts';

export interface DebouncedSaver {
  /** Marks a draft as changed. It is saved when typing pauses, and at least once a second. */
  touch(chat: string): void;
  /** Saves pending drafts now. */
  flush(): void;
  /** Runs a call for this chat between two saves, after the current one has finished and before the next one starts. */
  between<T>(chat: string, call: () => Promise<T>): Promise<T>;
  /** Suspends saving of this chat until released. The saved draft must stay while its text is being sent. */
  hold(chat: string): () => void;
}

const pauseMs = 250;
const maxMs = 1000;

/** Saves drafts to the core, one call per chat at a time, so that an older draft never overtakes a newer one. */
export function createDebouncedSaver<Draft>(
  read: (chat: string) => Draft,
  put: (chat: string, draft: Draft) => Promise<void>,
  failed: (error: unknown) => void,
  /** Called once every draft that had failed is saved. */
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
        // The next flush saves it, which happens when the core is back.
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

import { useEffect, useEffectEvent } from 'react';
import { type Api, useApi } from '../../api/api.ts';
import { useFlush } from '../../browser/use-flush.ts';
import { composerText as text } from '../../text/composer-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { createDebouncedSaver, type DebouncedSaver } from './debounced-saver.ts';
import { draftOf, useDrafts } from './drafts-store.ts';

const savers = new WeakMap<Api, DebouncedSaver>();

/** The only writer of drafts in this window. */
export function useDraftSaver(): DebouncedSaver {
  const api = useApi();
  const { failed } = useNotify();
  const saver =
    savers.get(api) ??
    createDebouncedSaver(
      draftOf,
      (chat, draft) => api.drafts.put({ chat, draft }),
      (error) => failed(text.draftNotKept, error),
    );
  savers.set(api, saver);
  return saver;
}

/** Loads the saved draft of a chat into its composer, and saves what is typed there. */
export function useDraft(chat: string): void {
  const api = useApi();
  const saver = useDraftSaver();
  const { failed } = useNotify();
  const notRead = useEffectEvent((error: unknown) => failed(text.draftNotRead, error));

  useEffect(() => {
    if (useDrafts.getState().loaded[chat]) return;
    const leave = new AbortController();
    api.drafts.get({ chat }, { signal: leave.signal }).then(
      (draft) => {
        const typed = useDrafts.getState().texts[chat];
        useDrafts.getState().take(chat, draft);
        if (typed) saver.touch(chat);
      },
      (error: unknown) => {
        if (!leave.signal.aborted) notRead(error);
      },
    );
    return () => leave.abort();
  }, [api, chat, saver]);

  useEffect(
    () =>
      useDrafts.subscribe((now, before) => {
        const same =
          now.texts[chat] === before.texts[chat] &&
          now.files[chat] === before.files[chat] &&
          now.compares[chat] === before.compares[chat] &&
          now.models[chat] === before.models[chat];
        // A draft that was just loaded is saved only if something was typed before it came.
        if (now.loaded[chat] && before.loaded[chat] && !same) saver.touch(chat);
      }),
    [chat, saver],
  );

  useFlush(saver.flush);
}

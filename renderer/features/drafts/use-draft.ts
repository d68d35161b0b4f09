import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { type Api, useApi, useOrpc } from '../../api/api.ts';
import { useFlush } from '../../browser/use-flush.ts';
import type { DebouncedSaver } from './debounced-saver.ts';
import { useDrafts } from './drafts-store.ts';
import { createSharedDrafts, type SharedDrafts } from './shared-drafts.ts';
import { useKeptNotices } from './use-kept-notices.ts';

const ofApi = new WeakMap<Api, SharedDrafts>();

function useSharedDrafts(): SharedDrafts {
  const api = useApi();
  const { notKept, kept } = useKeptNotices();
  const drafts = ofApi.get(api) ?? createSharedDrafts(api, notKept, kept);
  ofApi.set(api, drafts);
  return drafts;
}

export const useDraftSaver = (): DebouncedSaver => useSharedDrafts().saver;

/** Keeps the composer of a chat and its saved draft, which other windows may change, the same. */
export function useDraft(chat: string): void {
  const { saver, refresh } = useSharedDrafts();
  const notices = useKeptNotices();
  const { error } = useQuery({
    queryKey: useOrpc().drafts.get.queryKey({ input: { chat } }),
    queryFn: () => refresh(chat),
    refetchOnMount: 'always',
  });
  const notRead = useEffectEvent(notices.notRead);

  useEffect(() => {
    if (error) notRead(error);
  }, [error]);

  useEffect(
    () =>
      useDrafts.subscribe((now, before) => {
        const same =
          now.texts[chat] === before.texts[chat] &&
          now.files[chat] === before.files[chat] &&
          now.compares[chat] === before.compares[chat] &&
          now.models[chat] === before.models[chat];
        if (now.loaded[chat] && before.loaded[chat] && !same) saver.touch(chat);
      }),
    [chat, saver],
  );

  useFlush(saver.flush);
}

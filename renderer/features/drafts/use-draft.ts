import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import { type Api, useApi, useOrpc } from '../../api/api.ts';
import { newChatKey } from '../../browser/new-chat-key.ts';
import { useFlush } from '../../browser/use-flush.ts';
import { createDebouncedSaver, type DebouncedSaver } from './debounced-saver.ts';
import { getDraft, useDrafts } from './drafts-store.ts';
import { emptyDraft, sameDraft } from './merged-draft.ts';
import { useSaveNotices } from './use-save-notices.ts';

const ofApi = new WeakMap<Api, SharedDrafts>();

function useSharedDrafts(): SharedDrafts {
  const api = useApi();
  const { saveFailed, saved } = useSaveNotices();
  const drafts = ofApi.get(api) ?? createSharedDrafts(api, saveFailed, saved);
  ofApi.set(api, drafts);
  return drafts;
}

export const useDraftSaver = (): DebouncedSaver => useSharedDrafts().saver;

/** Synchronises the composer of a chat with its saved draft, which other windows may change. */
export function useDraft(chat: string): void {
  const { saver, refresh } = useSharedDrafts();
  const notices = useSaveNotices();
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

interface SharedDrafts {
  readonly saver: DebouncedSaver;
  /** Loads the core's version of this draft. Returns when it was saved. */
  refresh(chat: string): Promise<number | null>;
}

interface Known {
  readonly draft: Draft;
  readonly savedAt: number | null;
}

/** The only reader and writer of drafts in this window. Other windows may write the same drafts. */
function createSharedDrafts(api: Api, failed: (error: unknown) => void, mended: () => void): SharedDrafts {
  const known = new Map<string, Known>();

  function take(chat: string, draft: Draft, savedAt: number | null): void {
    const base = known.get(chat)?.draft;
    known.set(chat, { draft, savedAt });
    useDrafts.getState().take(chat, base ?? emptyDraft, draft);
    const merged = getDraft(chat);
    // At first load, only a difference in the text counts as a change, because a chat that has just started already has
    // its model.
    if (base ? !sameDraft(merged, draft) : merged.text !== draft.text) saver.touch(chat);
  }

  async function put(chat: string, draft: Draft): Promise<void> {
    const base = known.get(chat);
    if (base && sameDraft(base.draft, draft)) return;
    const { savedAt, other } = await api.drafts.put({ chat, draft, savedAt: base?.savedAt ?? null });
    if (other) take(chat, other, savedAt);
    else known.set(chat, { draft, savedAt });
  }

  const saver = createDebouncedSaver(getDraft, put, failed, mended);
  return {
    saver,
    refresh: (chat) =>
      saver.between(chat, async () => {
        const before = known.get(chat)?.savedAt;
        // No other window writes the new chat's draft, and loading it here could replace what was just typed.
        if (before !== undefined && chat === newChatKey) return before;
        const { savedAt, ...draft } = await api.drafts.get({ chat });
        if (savedAt !== before) take(chat, draft, savedAt);
        return savedAt;
      }),
  };
}

import type { Draft } from '#shared/contract/chat/drafts.ts';
import type { Api } from '../../api/api.ts';
import { newChatKey } from '../../browser/new-chat-key.ts';
import { createDebouncedSaver, type DebouncedSaver } from './debounced-saver.ts';
import { getDraft, useDrafts } from './drafts-store.ts';
import { emptyDraft, sameDraft } from './merged-draft.ts';

export interface SharedDrafts {
  readonly saver: DebouncedSaver;
  /** Takes what the core has of this draft. Returns when that was saved. */
  refresh(chat: string): Promise<number | null>;
}

interface Known {
  readonly draft: Draft;
  readonly savedAt: number | null;
}

/** The only reader and writer of drafts in this window. Other windows may write the same ones. */
export function createSharedDrafts(api: Api, failed: (error: unknown) => void, mended: () => void): SharedDrafts {
  const known = new Map<string, Known>();

  function take(chat: string, draft: Draft, savedAt: number | null): void {
    const base = known.get(chat)?.draft;
    known.set(chat, { draft, savedAt });
    useDrafts.getState().take(chat, base ?? emptyDraft, draft);
    const merged = getDraft(chat);
    // A chat that has just begun has its model, which is no draft of its own.
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
        // Nobody else writes it, and another one would be taken over in its place.
        if (before !== undefined && chat === newChatKey) return before;
        const { savedAt, ...draft } = await api.drafts.get({ chat });
        if (savedAt !== before) take(chat, draft, savedAt);
        return savedAt;
      }),
  };
}

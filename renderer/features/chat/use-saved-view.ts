import { useEffect, useEffectEvent } from 'react';
import { type Api, useApi } from '../../api/api.ts';
import { useFlush } from '../../browser/use-flush.ts';
import { useThreadView } from '../../navigation/thread-view.ts';
import { createDebouncedSaver } from '../drafts/debounced-saver.ts';
import { mergedText } from '../drafts/merged-draft.ts';
import { useSaveNotices } from '../drafts/use-save-notices.ts';

const maxExpanded = 300;

/** The expanded parts of each conversation that was shown in this window. */
const expandedIn = new Map<string, Set<string>>();

function createSavers(api: Api, failed: (error: unknown) => void, mended: () => void) {
  /** The edits as this window last read or saved them, by message. */
  const known = new Map<string, string>();
  async function keepEdit(messageId: string, wording: string | null): Promise<void> {
    const base = known.get(messageId) ?? null;
    const { other } = await api.messages.keepEdit({ messageId, text: wording, known: base });
    known.delete(messageId);
    if (wording === null) return;
    known.set(messageId, other?.text ?? wording);
    if (!other) return;
    // Another window has changed the edit too, and more may have been typed here meanwhile.
    const { edits: now, setEdit } = useThreadView.getState();
    const mine = now[messageId];
    if (mine === undefined) return;
    const merged = mergedText(base ?? other.message, mine, other.text);
    setEdit(messageId, merged);
    // If the merged text equals the saved one, there is nothing to save.
    if (merged !== other.text) edits.touch(messageId);
  }
  const edits = createDebouncedSaver(
    (messageId) => useThreadView.getState().edits[messageId] ?? null,
    keepEdit,
    failed,
    mended,
  );
  const expanded = createDebouncedSaver(
    (conversationId) => [...(expandedIn.get(conversationId) ?? [])].slice(-maxExpanded),
    (conversationId, open: string[]) => api.messages.keepExpanded({ conversationId, expanded: open }),
    failed,
    mended,
  );
  const flush = () => {
    edits.flush();
    expanded.flush();
  };
  return { edits, expanded, known, flush };
}

const savers = new WeakMap<Api, ReturnType<typeof createSavers>>();

/** Returns the keys whose values differ. */
const changed = <Value>(now: Readonly<Record<string, Value>>, before: Readonly<Record<string, Value>>): string[] =>
  now === before ? [] : Object.keys({ ...now, ...before }).filter((name) => now[name] !== before[name]);

/** Restores a conversation’s unsent edits and expanded parts, and saves them as they change. */
export function useSavedView(conversationId: string): void {
  const api = useApi();
  const { saveFailed, saved, ...notices } = useSaveNotices();
  const notRead = useEffectEvent(notices.notRead);
  const saver = savers.get(api) ?? createSavers(api, saveFailed, saved);
  savers.set(api, saver);

  useEffect(() => {
    const leave = new AbortController();
    const touched = new Set<string>();
    const open = expandedIn.get(conversationId) ?? new Set<string>();
    expandedIn.set(conversationId, open);
    let taking = false;
    const unsubscribe = useThreadView.subscribe((now, before) => {
      if (taking) return;
      for (const messageId of changed(now.edits, before.edits)) {
        touched.add(messageId);
        saver.edits.touch(messageId);
      }
      for (const part of changed(now.expanded, before.expanded)) {
        touched.add(part);
        if (now.expanded[part]) open.add(part);
        else open.delete(part);
        saver.expanded.touch(conversationId);
      }
    });
    api.messages.view({ conversationId }, { signal: leave.signal }).then(
      ({ edits, expanded }) => {
        const fresh = expanded.filter((part) => !touched.has(part));
        for (const part of fresh) open.add(part);
        for (const edit of edits) if (!touched.has(edit.messageId)) saver.known.set(edit.messageId, edit.text);
        taking = true;
        useThreadView
          .getState()
          .take(
            Object.fromEntries(
              edits.filter(({ messageId }) => !touched.has(messageId)).map((edit) => [edit.messageId, edit.text]),
            ),
            Object.fromEntries(fresh.map((part) => [part, true as const])),
          );
        taking = false;
      },
      (error: unknown) => {
        if (!leave.signal.aborted) notRead(error);
      },
    );
    return () => {
      leave.abort();
      unsubscribe();
    };
  }, [api, conversationId, saver]);

  useFlush(saver.flush);
}

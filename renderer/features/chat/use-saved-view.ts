import { useEffect, useEffectEvent } from 'react';
import { type Api, useApi } from '../../api/api.ts';
import { useFlush } from '../../browser/use-flush.ts';
import { composerText as text } from '../../text/composer-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { createDebouncedSaver } from '../drafts/debounced-saver.ts';
import { useThreadView } from '../thread-state/thread-view.ts';

const mostExpanded = 300;

/** The expanded parts of each conversation that was shown in this window. */
const expandedIn = new Map<string, Set<string>>();

function createSavers(api: Api, failed: (error: unknown) => void, mended: () => void) {
  const edits = createDebouncedSaver(
    (messageId) => useThreadView.getState().edits[messageId] ?? null,
    (messageId, wording: string | null) => api.messages.keepEdit({ messageId, text: wording }),
    failed,
    mended,
  );
  const expanded = createDebouncedSaver(
    (conversationId) => [...(expandedIn.get(conversationId) ?? [])].slice(-mostExpanded),
    (conversationId, open: string[]) => api.messages.keepExpanded({ conversationId, expanded: open }),
    failed,
    mended,
  );
  const flush = () => {
    edits.flush();
    expanded.flush();
  };
  return { edits, expanded, flush };
}

const savers = new WeakMap<Api, ReturnType<typeof createSavers>>();

/** The keys whose values differ. */
const changed = <Value>(now: Readonly<Record<string, Value>>, before: Readonly<Record<string, Value>>): string[] =>
  now === before ? [] : Object.keys({ ...now, ...before }).filter((name) => now[name] !== before[name]);

/** Restores a conversation’s unsent edits and expanded parts, and saves them as they change. */
export function useSavedView(conversationId: string): void {
  const api = useApi();
  const { failed, mended } = useNotify();
  const notRead = useEffectEvent((error: unknown) => failed(text.draftNotRead, error));
  const saver =
    savers.get(api) ??
    createSavers(
      api,
      (error) => failed(text.draftNotKept, error),
      () => mended(text.draftNotKept),
    );
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

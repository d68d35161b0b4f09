import { useEffect, useEffectEvent } from 'react';
import { type Api, useApi } from '../../lib/api.ts';
import { useNotify } from '../../ui/use-notify.ts';
import { createDraftSaver } from './draft-saver.ts';
import { text } from './text.ts';
import { useThreadView } from './thread-view.ts';
import { useFlush } from './use-flush.ts';

const mostFolds = 300;

/** The open folds of each conversation that was shown in this window. */
const foldsOf = new Map<string, Set<string>>();

function createSavers(api: Api, failed: (error: unknown) => void) {
  const edits = createDraftSaver(
    (messageId) => useThreadView.getState().edits[messageId] ?? null,
    (messageId, wording: string | null) => api.messages.keepEdit({ messageId, text: wording }),
    failed,
  );
  const folds = createDraftSaver(
    (conversationId) => [...(foldsOf.get(conversationId) ?? [])].slice(-mostFolds),
    (conversationId, open: string[]) => api.messages.keepFolds({ conversationId, folds: open }),
    failed,
  );
  const flush = () => {
    edits.flush();
    folds.flush();
  };
  return { edits, folds, flush };
}

const savers = new WeakMap<Api, ReturnType<typeof createSavers>>();

/** The names whose value is another one now. */
const changed = <Value>(now: Readonly<Record<string, Value>>, before: Readonly<Record<string, Value>>): string[] =>
  now === before ? [] : Object.keys({ ...now, ...before }).filter((name) => now[name] !== before[name]);

/** Brings a conversation's unsent edits and open folds into its view, and keeps them as they change. */
export function useKeptView(conversationId: string): void {
  const api = useApi();
  const { failed } = useNotify();
  const notRead = useEffectEvent((error: unknown) => failed(text.draftNotRead, error));
  const saver = savers.get(api) ?? createSavers(api, (error) => failed(text.draftNotKept, error));
  savers.set(api, saver);

  useEffect(() => {
    const leave = new AbortController();
    const touched = new Set<string>();
    const open = foldsOf.get(conversationId) ?? new Set<string>();
    foldsOf.set(conversationId, open);
    let taking = false;
    const unsubscribe = useThreadView.subscribe((now, before) => {
      if (taking) return;
      for (const messageId of changed(now.edits, before.edits)) {
        touched.add(messageId);
        saver.edits.touch(messageId);
      }
      for (const fold of changed(now.folds, before.folds)) {
        touched.add(fold);
        if (now.folds[fold]) open.add(fold);
        else open.delete(fold);
        saver.folds.touch(conversationId);
      }
    });
    api.messages.view({ conversationId }, { signal: leave.signal }).then(
      ({ edits, folds }) => {
        const fresh = folds.filter((fold) => !touched.has(fold));
        for (const fold of fresh) open.add(fold);
        taking = true;
        useThreadView
          .getState()
          .take(
            Object.fromEntries(
              edits.filter(({ messageId }) => !touched.has(messageId)).map((edit) => [edit.messageId, edit.text]),
            ),
            Object.fromEntries(fresh.map((fold) => [fold, true as const])),
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

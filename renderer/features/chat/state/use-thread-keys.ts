import { type KeyboardEvent, useState } from 'react';
import type { ThreadAction } from '#shared/actions/action-list.ts';
import { getThreadAction } from '../../../actions/shortcuts.ts';
import { getHandle } from '../../../handles/handles.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import type { MessageActions } from './message-actions.ts';
import { getHead, type ThreadItem } from './thread-items.ts';

interface ThreadKeys {
  readonly items: readonly ThreadItem[];
  readonly actions: MessageActions;
  readonly busy: boolean;
  /** Scrolls to a message and focuses it. */
  readonly focus: (index: number) => void;
  readonly toLatest: () => void;
}

/** Moves between messages and acts on them by single keys, while the conversation has keyboard focus. */
export function useThreadKeys({ items, actions, busy, focus, toLatest }: ThreadKeys) {
  const [activeId, setActiveId] = useState<string | null>(null);
  const found = items.findIndex((item) => getHead(item) === activeId);
  const active = found < 0 ? items.length - 1 : found;

  const move = (by: -1 | 1, inThread: boolean) => {
    const next = inThread ? Math.min(items.length - 1, Math.max(0, active + by)) : active;
    const item = items[next];
    if (!item) return;
    setActiveId(getHead(item));
    focus(next);
  };

  function act(action: ThreadAction, item: ThreadItem | undefined): void {
    if (action === 'latest') {
      toLatest();
      setActiveId(null);
      return;
    }
    // A comparison handles keys for its columns itself.
    if (!item || item.columns || item.status === 'streaming') return;
    const own = item.role === 'user';
    const acts: Partial<Record<ThreadAction, () => void>> = {
      copy: () => actions.copy(item, 'rich'),
      copyMarkdown: () => actions.copy(item, 'markdown'),
      edit: () => own && !busy && useThreadView.getState().setEdit(item.id, item.text),
      regenerate: () => !own && !busy && actions.regenerate(item),
      retryOther: () => !own && !busy && useThreadView.getState().setRetrying(item.id),
      continue: () => !own && !busy && item === items.at(-1) && isCut(item) && actions.continue(item),
      fork: () => actions.fork(item),
      previousVersion: () => actions.step(item, -1),
      nextVersion: () => actions.step(item, 1),
      remove: () => {
        actions.remove(item);
        getHandle('thread')?.focus();
      },
    };
    acts[action]?.();
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const action = getThreadAction(event);
    const onMessage = target.matches('[data-message]');
    const here = onMessage || target === event.currentTarget;
    // Fields, menus and scrollable code have their own keys. After a click, letters are not shortcuts.
    if (!action || !here || !target.matches(':focus-visible') || event.defaultPrevented) return;
    if (action === 'previous' || action === 'next') {
      const by = action === 'next' ? 1 : -1;
      if (event.key.startsWith('Arrow') && goesOn(target, event.currentTarget, by)) return;
      event.preventDefault();
      return move(by, onMessage);
    }
    if (!onMessage && action !== 'latest') return;
    event.preventDefault();
    act(action, items[active]);
  };

  /** A message that receives the focus becomes the active one. */
  const onFocus = (event: { target: EventTarget }) => {
    const message = (event.target as HTMLElement).closest<HTMLElement>('[data-message]')?.dataset.message;
    if (message) setActiveId(message);
  };
  return { active, onKeyDown, onFocus };
}

/** Whether an answer was cut off and can be continued. */
export const isCut = ({ status, finishReason, text, toolCalls }: ThreadItem): boolean =>
  (text.trim() !== '' || toolCalls.length > 0) &&
  (status !== 'done' || finishReason === 'length' || finishReason === 'tool_calls');

/** Whether more of the message lies in that direction; the arrow key then scrolls. */
function goesOn(message: HTMLElement, thread: HTMLElement, by: -1 | 1): boolean {
  if (message === thread) return false;
  const inner = message.getBoundingClientRect();
  const outer = thread.getBoundingClientRect();
  return by > 0 ? inner.bottom > outer.bottom + 1 : inner.top < outer.top - 1;
}

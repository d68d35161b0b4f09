import { useEffect } from 'react';
import { isMac } from '../browser/platform.ts';
import { focusComposer, handleOf } from '../handles/handles.ts';
import { newChat, useNav } from '../navigation/nav.ts';
import { useShell } from '../page/shell-state.ts';
import { undoLast } from '../ui/notices/last-undo.ts';
import { focusNextRegion } from './regions.ts';
import { actionOf, type ShortcutAction } from './shortcuts.ts';

/** Handles shortcuts of the whole window. Open dialogs and menus handle their keys first: Escape closes them. */
export function useShortcuts(narrow: boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const action = actionOf(event, isMac);
      if (!action) return;
      if (action === 'undo') {
        // In a field with text it is the field’s own undo.
        if (!hasWords(event.target) && undoLast()) event.preventDefault();
        return;
      }
      // There macOS goes from paragraph to paragraph.
      if (isMac && event.altKey && hasWords(event.target)) return;
      if (action === 'find' && useNav.getState().loc.page !== 'chat') return;
      if (action !== 'stop') event.preventDefault();
      run(action, narrow, event.shiftKey);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [narrow]);
}

function hasWords(target: EventTarget | null): boolean {
  return (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value !== '';
}

function run(action: Exclude<ShortcutAction, 'undo'>, narrow: boolean, backwards: boolean): void {
  const { go, back, forward } = useNav.getState();
  const { toggle, show } = useShell.getState();
  const actions: Record<Exclude<ShortcutAction, 'undo'>, () => void> = {
    palette: () => show('palette'),
    shortcuts: () => show('shortcuts'),
    newChat: () => {
      go(newChat);
      focusComposer();
    },
    searchAll: () => {
      go({ page: 'chats', view: 'active', query: '' });
      requestAnimationFrame(() => handleOf('chatSearch')?.focus());
    },
    find: () => handleOf('findBar')?.open(),
    settings: () => go({ page: 'settings', section: null }),
    sidebar: () => toggle(narrow),
    focusMessage: focusComposer,
    model: () => handleOf('composer')?.pickModel(),
    stop: () => handleOf('composer')?.stop(),
    nextChat: () => handleOf('chatSteps')?.step(1),
    previousChat: () => handleOf('chatSteps')?.step(-1),
    back,
    forward,
    region: () => focusNextRegion(backwards),
  };
  actions[action]();
}

import { useEffect } from 'react';
import { undoLast } from '../lib/last-undo.ts';
import { newChat, useNav } from '../lib/nav.ts';
import { isMac } from '../lib/platform.ts';
import { sayShortcut } from '../lib/shortcut-events.ts';
import { nextRegion } from './regions.ts';
import { useShell } from './shell-state.ts';
import { actionOf, type ShortcutAction } from './shortcuts.ts';

export function focusMessage(): void {
  requestAnimationFrame(() => document.getElementById('message')?.focus());
}

/** Listens for the whole window. What floats sees its own keys first. */
export function useShortcuts(narrow: boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const action = actionOf(event, isMac);
      // Esc first closes what floats.
      if (
        !action ||
        (action === 'stop' &&
          event.key === 'Escape' &&
          document.querySelector('[role="dialog"],[role="listbox"],[role="menu"]'))
      )
        return;
      if (action === 'undo') {
        // Where something was typed, this is the field's own undo.
        if (!hasWords(event.target) && undoLast()) event.preventDefault();
        return;
      }
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
      focusMessage();
    },
    searchAll: () => {
      go({ page: 'chats', view: 'active', query: '' });
      requestAnimationFrame(() => document.querySelector<HTMLElement>('main input[type=search]')?.focus());
    },
    find: () => sayShortcut('find'),
    settings: () => go({ page: 'settings', section: null }),
    sidebar: () => toggle(narrow),
    focusMessage,
    model: () => sayShortcut('model'),
    stop: () => sayShortcut('stop'),
    back,
    forward,
    region: () => nextRegion(document, backwards),
  };
  actions[action]();
}

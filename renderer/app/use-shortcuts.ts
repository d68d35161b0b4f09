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
      // In a field it takes back what was typed.
      if (action === 'undo' && (isField(event.target) || !undoLast())) return;
      if (action !== 'stop') event.preventDefault();
      run(action, narrow, event.shiftKey);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [narrow]);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]');

function run(action: ShortcutAction, narrow: boolean, backwards: boolean): void {
  const { go, back, forward } = useNav.getState();
  const { toggle, show } = useShell.getState();
  const actions: Record<ShortcutAction, () => void> = {
    palette: () => show('palette'),
    shortcuts: () => show('shortcuts'),
    newChat: () => {
      go(newChat);
      focusMessage();
    },
    settings: () => go({ page: 'settings', section: null }),
    sidebar: () => toggle(narrow),
    focusMessage,
    model: () => sayShortcut('model'),
    stop: () => sayShortcut('stop'),
    back,
    forward,
    region: () => nextRegion(document, backwards),
    undo: () => {},
  };
  actions[action]();
}

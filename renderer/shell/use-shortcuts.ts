import { useEffect } from 'react';
import type { WindowAction } from '#shared/actions/action-list.ts';
import { getOffer } from '../actions/offers.ts';
import { getWindowAction } from '../actions/shortcuts.ts';
import { isMac } from '../browser/platform.ts';
import { useShell } from '../page/shell-state.ts';
import { canUndo } from '../ui/notices/last-undo.ts';

/**
 * True while a dialog is open, because it has to be closed first. A closing dialog or a toast doesn't block, nor do the
 * keys that opened the dialog, which close it.
 */
const isBlocked = (action: WindowAction): boolean =>
  useShell.getState().overlay !== action &&
  (document.activeElement?.closest(':is([role="dialog"], [role="alertdialog"])[data-open]') ?? null) !== null;

/** Runs the action that was chosen in a menu of the installed app. */
export function useMenuActions(): void {
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      if (source !== window || origin !== location.origin || data?.portico !== 'action') return;
      if (!isBlocked(data.action)) getOffer(data.action)?.run();
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
}

/** Handles shortcuts of the whole window. Open dialogs and menus handle their keys first, so Escape closes them. */
export function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const action = getWindowAction(event);
      const offer = action && getOffer(action);
      if (!offer) return;
      // In a field with text, the field’s own undo applies.
      if (action === 'undo' && (hasText(event.target) || !canUndo())) return;
      // In a field on macOS, Alt with an arrow moves by paragraph.
      if (isMac && event.altKey && hasText(event.target)) return;
      if (action !== 'stop' || !isBlocked(action)) event.preventDefault();
      if (!isBlocked(action)) offer.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function hasText(target: EventTarget | null): boolean {
  return (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value !== '';
}

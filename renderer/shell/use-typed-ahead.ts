import { useEffect } from 'react';
import { useShell } from '../page/shell-state.ts';

/**
 * Adds keys to the palette's query that are typed after the palette was requested and before its field has the focus.
 */
export function useTypedAhead(): void {
  const asked = useShell(({ overlay }) => overlay === 'palette');
  useEffect(() => {
    if (!asked) return;
    const { seek, show } = useShell.getState();
    const isThere = ({ target }: Event) => target instanceof Element && target.closest('[role="dialog"]') !== null;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isThere(event)) return;
      const { query } = useShell.getState();
      if (event.key === 'Escape') show(null);
      else if (event.key === 'Backspace') seek(query.slice(0, -1));
      else if (event.key.length === 1) seek(query + event.key);
      // Enter does nothing yet: it must not choose an unseen entry or send the message.
      else if (event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    // A click elsewhere cancels the palette, for instance when it can't be loaded.
    const onPointerDown = (event: PointerEvent) => {
      if (!isThere(event)) show(null);
    };
    window.addEventListener('keydown', onKeyDown, true);
    window.addEventListener('pointerdown', onPointerDown, true);
    return () => {
      window.removeEventListener('keydown', onKeyDown, true);
      window.removeEventListener('pointerdown', onPointerDown, true);
    };
  }, [asked]);
}

import { useEffect } from 'react';
import { useShell } from '../page/shell-state.ts';

/** What is typed once the palette was asked for, and before its field has the focus, is sought in it, and goes nowhere else. */
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
      // Nothing is chosen that was not seen, and nothing is sent.
      else if (event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Who goes elsewhere waits for it no more, for instance because it cannot be loaded.
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

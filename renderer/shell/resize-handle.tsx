import type { KeyboardEvent, PointerEvent } from 'react';
import { sidebarWidths, useShell } from '../page/shell-state.ts';
import { text } from '../text/shell-text.ts';

/** Resizes the sidebar by dragging or arrow keys. A double click resets it. */
export function ResizeHandle() {
  const { width, resize } = useShell();
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => event.currentTarget.setPointerCapture(event.pointerId);
  const onPointerMove = (event: PointerEvent<HTMLHRElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: width - 16,
      ArrowRight: width + 16,
      Home: sidebarWidths.narrowest,
      End: sidebarWidths.widest,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    resize(next);
  };
  return (
    <hr
      aria-label={text.resize}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={sidebarWidths.narrowest}
      aria-valuemax={sidebarWidths.widest}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDoubleClick={() => resize(sidebarWidths.initial)}
      className="absolute inset-y-0 -right-1 z-10 m-0 w-2 cursor-col-resize touch-none border-0 bg-transparent hover:bg-active focus-visible:bg-accent focus-visible:outline-none"
    />
  );
}

import { type MouseEvent, useRef, useState } from 'react';
import { type Point, PointMenu } from '../../../ui/dialogs/menu.tsx';
import { MessageItems } from '../message/message-menu-items.tsx';
import { getAnswers, getHead, type ThreadItem } from '../state/thread-items.ts';

/** A message, or a column of a comparison, and where it was asked for its menu. */
interface Asked {
  readonly element: HTMLElement;
  readonly at: Point;
  /** Each menu is one of its own, also where the last one still fades. */
  readonly time: number;
}

/** The context menu of the message under the pointer, or of the focused one: `on` is for what is around all messages. */
export function useMessageMenu() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const selectedBefore = useRef<boolean | null>(null);
  return {
    asked,
    forget: () => setAsked(null),
    on: {
      // macOS selects the word under the pointer before it asks for a menu: what counts is what the person had selected.
      onPointerDown: () => {
        selectedBefore.current = hasSelection();
      },
      onContextMenu: (event: MouseEvent) => {
        const selected = selectedBefore.current ?? hasSelection();
        selectedBefore.current = null;
        const element = selected || event.defaultPrevented ? null : messageAt(event.target as Element);
        if (!element) return;
        event.preventDefault();
        setAsked({ element, at: { x: event.clientX, y: event.clientY }, time: event.timeStamp });
      },
    },
  };
}

interface MessageMenuProps extends Omit<Asked, 'time'> {
  items: readonly ThreadItem[];
  busy: boolean;
  onClosed: () => void;
}

export function MessageMenu({ element, at, items, busy, onClosed }: MessageMenuProps) {
  const head = element.dataset.column ?? element.dataset.message;
  const row = items.find((item) => getAnswers(item).some((one) => getHead(one) === head));
  const item = row && getAnswers(row).find((one) => getHead(one) === head);
  if (!item) return null;
  return (
    <PointMenu at={at} returnsTo={element} onClosed={onClosed}>
      <MessageItems item={item} compared={row.columns !== undefined} busy={busy} />
    </PointMenu>
  );
}

/** What has a menu of the system, as selected words do. */
const withOwnMenu = 'a[href], img, video, input, textarea, select, [contenteditable]';

/** A comparison is no message, but each of its columns is. */
const messageAt = (target: Element): HTMLElement | null =>
  target.closest(withOwnMenu) ? null : target.closest<HTMLElement>('article[data-column], article[data-message]');

const hasSelection = (): boolean => String(getSelection() ?? '').trim() !== '';

import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent } from 'react';
import { isMac } from '../../../browser/platform.ts';
import { keySign } from '../../../keyboard/key-names.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';

interface Undo {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly chat: string;
  /**
   * Undoes a change that is not a step of the text, such as a paste that became a file. Returns whether there was one.
   */
  readonly first: () => boolean;
}

/** Undo and redo in the draft of a chat, by keys and by the menu. The steps survive a visit to another chat. */
export function useUndo({ field, chat, first }: Undo) {
  const step = (direction: -1 | 1): boolean => {
    if (direction < 0 && first()) return true;
    const before = field.current?.value ?? '';
    const after = useDrafts.getState().step(chat, direction);
    if (after === null) return false;
    const caret = after.length - commonEnd(before, after);
    requestAnimationFrame(() => field.current?.setSelectionRange(caret, caret));
    return true;
  };
  const onInput = useEffectEvent((event: InputEvent) => {
    if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return;
    event.preventDefault();
    step(event.inputType === 'historyUndo' ? -1 : 1);
  });
  useEffect(() => {
    const element = field.current;
    const listen = (event: InputEvent) => onInput(event);
    element?.addEventListener('beforeinput', listen);
    return () => element?.removeEventListener('beforeinput', listen);
  }, [field]);

  return {
    /** True if the key was handled. */
    onKeyDown(event: KeyboardEvent): boolean {
      if (event.altKey || !(isMac ? event.metaKey : event.ctrlKey)) return false;
      const key = keySign(event.key);
      const direction = key === 'Z' ? (event.shiftKey ? 1 : -1) : key === 'Y' && !isMac ? 1 : null;
      if (direction === null || !step(direction)) return false;
      event.preventDefault();
      return true;
    },
  };
}

function commonEnd(before: string, after: string): number {
  const maxLength = Math.min(before.length, after.length);
  let length = 0;
  while (length < maxLength && before.at(-1 - length) === after.at(-1 - length)) length++;
  return length;
}

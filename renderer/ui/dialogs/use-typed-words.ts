import { type FocusEvent, type RefObject, useRef } from 'react';

const isField = (target: EventTarget): target is HTMLInputElement | HTMLTextAreaElement =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'search');

/** Detects text typed into a form of this element that closing it would lose. */
export function useTypedWords(place: RefObject<HTMLElement | null>) {
  const before = useRef(new WeakMap<Element, string>());
  return {
    onFocus({ target }: FocusEvent): void {
      if (isField(target) && target.form && !before.current.has(target)) before.current.set(target, target.value);
    },
    isTyped: (): boolean =>
      [...(place.current?.querySelectorAll('input, textarea') ?? [])].some((field) => {
        const value = before.current.get(field);
        return value !== undefined && isField(field) && field.value !== value && field.value.trim() !== '';
      }),
  };
}

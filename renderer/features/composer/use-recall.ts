import { type KeyboardEvent, useState } from 'react';

/**
 * ↑ in an empty composer brings back what was sent here last, again for what was sent before; ↓ goes the other way. As
 * soon as a letter changes it is a text of its own, and the arrows move in it.
 */
export function useRecall(text: string, sent: readonly string[], onText: (text: string) => void) {
  /** How far back: 0 is nothing recalled. */
  const [back, setBack] = useState(0);
  const recalled = back > 0 && text === sent.at(-back);

  const show = (next: number) => {
    setBack(next);
    onText(next === 0 ? '' : (sent.at(-next) ?? ''));
  };

  return {
    /** True where the key was taken. */
    onKeyDown(event: KeyboardEvent): boolean {
      if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
      const from = recalled ? back : 0;
      if (event.key === 'ArrowUp' && (text === '' || recalled) && from < sent.length) show(from + 1);
      else if (event.key === 'ArrowDown' && recalled) show(back - 1);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

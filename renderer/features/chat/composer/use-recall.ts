import { type KeyboardEvent, useState } from 'react';

/**
 * In an empty composer, ↑ recalls the last message sent in this chat, and ↑ again the message before it; ↓ goes
 * forward. A recalled message that was edited counts as a new text.
 */
export function useRecall(text: string, sent: readonly string[], onText: (text: string) => void) {
  /** How many messages back the recalled one is; 0 if none is recalled. */
  const [back, setBack] = useState(0);
  const recalled = back > 0 && text === sent.at(-back);

  const show = (next: number) => {
    setBack(next);
    onText(next === 0 ? '' : (sent.at(-next) ?? ''));
  };

  return {
    /** True if the key was handled. */
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

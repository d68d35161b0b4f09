import { useEffect, useRef, useState } from 'react';
import { useNotify } from './use-notify.ts';

/** Copies text, and says for two seconds that it did. */
export function useCopy(): [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { say } = useNotify();
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), 2000);
    } catch (error) {
      console.warn('Copying was refused', error);
      say('Could not copy', 'This window may not write to the clipboard. Select the text and copy it by keyboard.');
    }
  };
  return [copied, copy];
}

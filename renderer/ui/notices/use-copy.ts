import { useEffect, useRef, useState } from 'react';
import { text } from '../../text/ui-text.ts';
import { useNotify } from './use-notify.ts';

/** Copies text. `copied` is true for two seconds. */
export function useCopy(): [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { inform } = useNotify();
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (copiedText: string) => {
    try {
      await navigator.clipboard.writeText(copiedText);
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), 2000);
    } catch (error) {
      console.warn('Copying was refused', error);
      inform(text.copyFailed, text.copyRefused);
    }
  };
  return [copied, copy];
}

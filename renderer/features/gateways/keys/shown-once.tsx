import type { ReactNode } from 'react';
import { keysText as words } from '../../../text/keys-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { Snippets } from './snippets.tsx';

interface ShownOnceProps {
  secret: string;
  /** Where programs use it; null: nowhere at the moment. */
  baseUrl: string | null;
  /** What else there is to know of this key. */
  children?: ReactNode;
  onDone: () => void;
}

/** A key that was just made: the only time that it is seen. */
export function ShownOnce({ secret, baseUrl, children, onDone }: ShownOnceProps) {
  const [copied, copy] = useCopy();
  return (
    <>
      <p role="status" className="text-fg-2">
        {words.created}
      </p>
      <div className="mt-3 flex items-start gap-2 rounded-menu border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{secret}</code>
        <Button autoFocus onClick={() => void copy(secret)}>
          {copied ? words.copied : words.copy}
        </Button>
      </div>
      {children}
      {baseUrl !== null && <Snippets baseUrl={baseUrl} secret={secret} />}
      <div className="mt-4 flex justify-end">
        <Button variant="primary" onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </>
  );
}

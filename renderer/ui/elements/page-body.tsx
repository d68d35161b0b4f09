import type { ReactNode } from 'react';
import { ScrollGroup } from './scroll-group.tsx';

/** The scroll container of a page. It is focusable, so that it scrolls by keyboard. */
export function PageBody({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ScrollGroup label={label} className="min-h-0 flex-1 overflow-y-auto px-8 pb-8 outline-offset-[-2px] max-sm:px-4">
      {children}
    </ScrollGroup>
  );
}

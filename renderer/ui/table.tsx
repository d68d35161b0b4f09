import type { ReactNode } from 'react';
import { ScrollGroup } from './scroll-group.tsx';

export const tableLook = {
  table: 'w-full border-separate border-spacing-0 text-sm tabular-nums',
  head: 'h-9 border-line border-b px-3 text-left font-medium text-fg-2 text-xs whitespace-nowrap first:pl-0 last:pr-0',
  cell: 'h-table-row border-line border-b px-3 whitespace-nowrap first:pl-0 last:pr-0',
} as const;

/** A table that may be wider than the window: it scrolls within itself, by keyboard too. */
export function TableScroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ScrollGroup label={label} className="overflow-x-auto rounded-tag">
      {children}
    </ScrollGroup>
  );
}

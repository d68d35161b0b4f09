import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { ScrollGroup } from './scroll-group.tsx';

export const tableCell = 'h-table-row border-line border-b px-3 whitespace-nowrap first:pl-0 last:pr-0';

const pinnedColumn =
  '[&_tr>:first-child]:sticky [&_tr>:first-child]:left-0 [&_tr>:first-child]:z-10 [&_tr>:first-child]:bg-surface';

interface Column {
  name: string;
  /** Needed if two columns have the same name. */
  id?: string;
  /** Right-aligned. */
  amount?: boolean;
  /** Hidden in a narrow window. */
  wideOnly?: boolean;
}

interface TableProps {
  label: string;
  columns: readonly Column[];
  /** Keeps the first column, which names the rows, visible while the others scroll. */
  pinned?: boolean;
  children: ReactNode;
}

/** A table with a head. If it is wider than the window, it scrolls horizontally, also by keyboard. */
export function Table({ label, columns, pinned, children }: TableProps) {
  return (
    <ScrollGroup label={label} className="overflow-x-auto rounded-tag">
      <table
        className={classNames('w-full border-separate border-spacing-0 text-sm tabular-nums', pinned && pinnedColumn)}
      >
        <thead>
          <tr>
            {columns.map(({ name, id, amount, wideOnly }) => (
              <th
                key={id ?? name}
                scope="col"
                className={classNames(
                  'h-9 border-line border-b px-3 font-medium text-fg-2 text-xs whitespace-nowrap first:pl-0 last:pr-0',
                  amount ? 'text-right' : 'text-left',
                  wideOnly && 'max-sm:hidden',
                )}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollGroup>
  );
}

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { ScrollGroup } from './scroll-group.tsx';

export const tableCell = 'h-table-row border-line border-b px-3 whitespace-nowrap first:pl-0 last:pr-0';

interface Column {
  name: string;
  /** Where two columns may have one name. */
  id?: string;
  /** Right-aligned. */
  amount?: boolean;
  /** Hidden in a narrow window. */
  wideOnly?: boolean;
}

interface TableProps {
  label: string;
  columns: readonly Column[];
  children: ReactNode;
}

/** A table with a head. Scrolls horizontally, by keyboard too, where it is wider than the window. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <ScrollGroup label={label} className="overflow-x-auto rounded-tag">
      <table className="w-full border-separate border-spacing-0 text-sm tabular-nums">
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

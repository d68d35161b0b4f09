import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface AmountLine {
  readonly name: string;
  /** For example a number of tokens. */
  readonly note?: string;
  readonly amount: ReactNode;
  readonly strong?: boolean;
}

/** The lines of a cost breakdown, with names on the left and amounts in a column on the right. */
export function Amounts({ lines, label }: { lines: readonly AmountLine[]; label: string }) {
  return (
    <table aria-label={label} className="w-full tabular-nums">
      <tbody>
        {lines.map(({ name, note, amount, strong }) => (
          <tr key={name} className={classNames(strong ? 'border-line font-semibold not-first:border-t' : '')}>
            <th scope="row" className={classNames('py-1 pr-3 text-left', strong ? '' : 'font-normal text-fg-2')}>
              {name}
            </th>
            <td className="py-1 pr-3 text-right text-fg-3 text-xs">{note}</td>
            <td className="py-1 text-right whitespace-nowrap">{amount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

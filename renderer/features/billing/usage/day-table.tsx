import { utcDay } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { getWords, type Series } from './series.ts';

interface DayTableProps {
  days: readonly string[];
  series: readonly Series[];
  sums: Series['days'];
  before: Series['days'] | null;
  onOpen: ((at: number) => void) | null;
}

/** The table behind the chart: each day with its sum and its parts, the last day first. */
export function DayTable({ days, series, sums, before, onOpen }: DayTableProps) {
  const parts = series.length > 1 ? series : [];
  const columns = [text.columns.total, ...parts.map(({ name }) => name), ...(before ? [text.columns.before] : [])];
  const none = { amount: 0 };
  return (
    <Table label={text.asTable} columns={[{ name: text.day }, ...columns.map((name) => ({ name, amount: true }))]}>
      {days
        .map((day, at) => (
          <tr key={day}>
            <th scope="row" className={`${tableCell} text-left font-normal`}>
              {onOpen ? (
                <button type="button" className="hover:underline" onClick={() => onOpen(at)}>
                  {utcDay(day)}
                </button>
              ) : (
                utcDay(day)
              )}
            </th>
            <td className={`${tableCell} text-right`}>{getWords(sums[at] ?? none)}</td>
            {parts.map(({ key, days: each }) => (
              <td key={key} className={`${tableCell} text-right text-fg-2`}>
                {getWords(each[at] ?? none)}
              </td>
            ))}
            {before && <td className={`${tableCell} text-right text-fg-2`}>{getWords(before[at] ?? none)}</td>}
          </tr>
        ))
        .toReversed()}
    </Table>
  );
}

import { ArrowDown, ArrowUp } from 'lucide-react';
import { text } from '../../text/models-text.ts';
import { classNames } from '../../ui/elements/class-names.ts';
import type { ModelFilter, SortColumn } from './filter-models.ts';

const headCell = 'sticky top-0 z-10 h-9 border-line border-b bg-surface px-2 font-medium text-fg-2 text-xs';
const columns: readonly { column: SortColumn; className: string }[] = [
  { column: 'name', className: 'pl-1 text-left' },
  { column: 'can', className: 'w-39 text-left max-lg:w-32' },
  { column: 'context', className: 'w-20 text-right' },
  { column: 'input', className: 'w-24 text-right' },
  { column: 'output', className: 'w-24 text-right' },
  { column: 'cached', className: 'w-24 text-right max-lg:hidden' },
  { column: 'status', className: 'w-32 pl-6 text-left' },
];

interface HeadProps {
  sort: ModelFilter['sort'];
  onSort: (sort: ModelFilter['sort']) => void;
}

/** The table head. Its buttons sort up, down, or in the gateway's order. */
export function ModelTableHead({ sort, onSort }: HeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col" className={`${headCell} w-11 pl-5`}>
          <span className="sr-only">{text.columns.picked}</span>
        </th>
        {columns.map(({ column, className }) => (
          <th key={column} scope="col" aria-sort={getSort(sort, column)} className={classNames(headCell, className)}>
            <SortButton column={column} sort={sort} onSort={onSort} />
          </th>
        ))}
        <th scope="col" className={`${headCell} w-12 pr-5`}>
          <span className="sr-only">{text.favourite}</span>
        </th>
      </tr>
    </thead>
  );
}

export const NarrowHead = () => (
  <thead className="sr-only">
    <tr>
      <th scope="col">{text.columns.name}</th>
      <th scope="col">{text.columns.input}</th>
    </tr>
  </thead>
);

const getSort = (sort: ModelFilter['sort'], column: SortColumn) =>
  sort?.column === column ? (sort.descending ? 'descending' : 'ascending') : undefined;

function SortButton({ column, sort, onSort }: { column: SortColumn } & HeadProps) {
  const active = sort?.column === column;
  const Arrow = sort?.descending ? ArrowDown : ArrowUp;
  const next = () =>
    onSort(!active ? { column, descending: false } : sort.descending ? null : { column, descending: true });
  return (
    <button type="button" onClick={next} className="inline-flex h-6 items-center gap-1 rounded-tag hover:text-fg">
      {text.columns[column]}
      {active && <Arrow size={12} aria-hidden />}
    </button>
  );
}

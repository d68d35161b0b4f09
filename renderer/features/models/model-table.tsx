import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, useRef } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { tokens, usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Badge } from '../../ui/elements/badge.tsx';
import { classNames } from '../../ui/elements/class-names.ts';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { providerName } from '../../ui/elements/provider-name.ts';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import { abilities, isAble } from './abilities.ts';
import { abilityIcons } from './ability-icons.ts';
import type { ModelFilter, SortColumn } from './filter-models.ts';

interface ModelTableProps {
  models: readonly Model[];
  narrow: boolean;
  sort: ModelFilter['sort'];
  onSort: (sort: ModelFilter['sort']) => void;
  onChoose: (model: Model) => void;
}

/** All models, virtualised. A real table, with spacer rows for what is not rendered. */
export function ModelTable({ models, narrow, sort, onSort, onChoose }: ModelTableProps) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const height = narrow ? 60 : document.documentElement.dataset.density === 'compact' ? 36 : 44;
  const rows = useVirtualizer({
    count: models.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (at) => models[at]?.id ?? at,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = narrow ? 2 : 7;
  return (
    <ScrollGroup
      ref={scroller}
      label={text.table}
      className="min-h-0 flex-1 overflow-auto focus-visible:outline-offset-[-2px]"
    >
      <table
        className="w-full table-fixed border-separate border-spacing-0 tabular-nums"
        aria-rowcount={models.length + 1}
      >
        <caption className="sr-only">{text.table}</caption>
        {narrow && (
          <colgroup>
            <col />
            <col className="w-24" />
          </colgroup>
        )}
        {narrow ? <NarrowHead /> : <Head sort={sort} onSort={onSort} />}
        <tbody>
          {above > 0 && <Gap height={above} columns={columns} />}
          {items.map((item) => {
            const model = models[item.index];
            if (!model) return null;
            return narrow ? (
              <NarrowRow key={item.key} model={model} index={item.index} onChoose={onChoose} />
            ) : (
              <Row key={item.key} model={model} index={item.index} onChoose={onChoose} />
            );
          })}
          {below > 0 && <Gap height={below} columns={columns} />}
        </tbody>
      </table>
    </ScrollGroup>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} className="p-0" style={{ height }} />
    </tr>
  );
}

const headCell = 'sticky top-0 z-10 h-9 border-line border-b bg-surface px-2 font-medium text-fg-2 text-xs';
const sortable: { column: SortColumn; width: string }[] = [
  { column: 'context', width: 'w-20' },
  { column: 'input', width: 'w-24' },
  { column: 'output', width: 'w-24' },
  { column: 'cached', width: 'w-24' },
];

function Head({ sort, onSort }: Pick<ModelTableProps, 'sort' | 'onSort'>) {
  return (
    <thead>
      <tr>
        <th scope="col" aria-sort={sortOf(sort, 'name')} className={`${headCell} pl-5 text-left`}>
          <SortButton column="name" sort={sort} onSort={onSort} />
        </th>
        <th scope="col" className={`${headCell} w-39 text-left max-lg:w-32`}>
          {text.columns.accepts}
        </th>
        {sortable.map(({ column, width }) => (
          <th
            key={column}
            scope="col"
            aria-sort={sortOf(sort, column)}
            className={classNames(headCell, 'text-right', width, column === 'cached' && 'max-lg:hidden')}
          >
            <SortButton column={column} sort={sort} onSort={onSort} />
          </th>
        ))}
        <th scope="col" className={`${headCell} w-32 pr-5 pl-6 text-left`}>
          {text.columns.status}
        </th>
      </tr>
    </thead>
  );
}

const NarrowHead = () => (
  <thead className="sr-only">
    <tr>
      <th scope="col">{text.columns.name}</th>
      <th scope="col">{text.columns.input}</th>
    </tr>
  </thead>
);

const sortOf = (sort: ModelFilter['sort'], column: SortColumn) =>
  sort?.column === column ? (sort.descending ? 'descending' : 'ascending') : undefined;

function SortButton({ column, sort, onSort }: { column: SortColumn } & Pick<ModelTableProps, 'sort' | 'onSort'>) {
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

interface RowProps {
  model: Model;
  index: number;
  onChoose: (model: Model) => void;
}

const cell = 'h-table-row border-line border-b px-2';

const Row = memo(function Row({ model, index, onChoose }: RowProps) {
  const { pricing } = model;
  const price = (perToken: string | null | undefined) =>
    perToken ? usdPerMillion(perToken) : <span className="text-fg-3">—</span>;
  return (
    <tr aria-rowindex={index + 2} onClick={() => onChoose(model)} className="hover:bg-hover">
      <td className={`${cell} pl-5`}>
        <Name model={model} onChoose={onChoose} />
      </td>
      <td className={cell}>
        <Accepts model={model} />
      </td>
      <td className={`${cell} text-right`}>{tokens(model.context_length)}</td>
      <td className={`${cell} text-right`}>{price(pricing?.prompt)}</td>
      <td className={`${cell} text-right`}>{price(pricing?.completion)}</td>
      <td className={`${cell} text-right max-lg:hidden`}>{price(pricing?.input_cache_read)}</td>
      <td className={`${cell} pr-5 pl-6`}>
        <Status model={model} />
      </td>
    </tr>
  );
});

const NarrowRow = memo(function NarrowRow({ model, index, onChoose }: RowProps) {
  const { pricing } = model;
  return (
    <tr aria-rowindex={index + 2} onClick={() => onChoose(model)} className="hover:bg-hover">
      <td className="h-[60px] border-line border-b px-3">
        <Name model={model} onChoose={onChoose} big />
      </td>
      <td className="w-24 border-line border-b pr-4 text-right">
        {pricing ? (
          <>
            <div>{usdPerMillion(pricing.prompt)}</div>
            <div className="text-fg-3">{usdPerMillion(pricing.completion)}</div>
          </>
        ) : (
          <span className="text-fg-3">—</span>
        )}
      </td>
    </tr>
  );
});

function Name({ model, onChoose, big = false }: { model: Model; onChoose: (model: Model) => void; big?: boolean }) {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <ProviderMark provider={model.provider} size={big ? 28 : 22} />
      <div className={classNames('min-w-0', !big && 'flex items-baseline gap-2')}>
        <button
          type="button"
          onClick={(event) => {
            event.stopPropagation();
            onChoose(model);
          }}
          className="block max-w-full shrink-0 truncate rounded-tag text-left font-medium text-sm"
        >
          {model.name}
        </button>
        <span className="block truncate text-fg-3 text-xs">
          {providerName(model.owned_by)}
          {big &&
            `, ${tokens(model.context_length)}, ${model.simulated ? text.simulated : text.statuses[model.status]}`}
        </span>
      </div>
    </div>
  );
}

function Accepts({ model }: { model: Model }) {
  const able = abilities.filter((ability) => isAble(model, ability));
  return (
    <span
      role="img"
      aria-label={able.map((ability) => text.capabilities[ability]).join(', ') || '—'}
      className="flex gap-1.5 max-lg:gap-0.5"
    >
      {abilities.map((ability) => {
        const Icon = abilityIcons[ability];
        return (
          <Icon
            key={ability}
            size={14}
            strokeWidth={1.75}
            aria-hidden
            className={classNames('shrink-0', able.includes(ability) ? 'text-fg-2' : 'text-line')}
          />
        );
      })}
    </span>
  );
}

export function Status({ model }: { model: Model }) {
  if (model.simulated) return <Badge>{text.simulated}</Badge>;
  const tone = model.status === 'available' ? 'ok' : model.status === 'degraded' ? 'warn' : 'plain';
  return <Badge tone={tone}>{text.statuses[model.status]}</Badge>;
}

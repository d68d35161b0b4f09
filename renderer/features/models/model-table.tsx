import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { text } from '../../text/models-text.ts';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import type { ModelFilter } from './filter-models.ts';
import { ModelRow, type RowActions } from './model-row.tsx';
import { ModelTableHead, NarrowHead } from './model-table-head.tsx';

interface ModelTableProps extends RowActions {
  models: readonly CatalogueModel[];
  narrow: boolean;
  sort: ModelFilter['sort'];
  picked: readonly string[];
  favourites: readonly string[];
  onSort: (sort: ModelFilter['sort']) => void;
  onSearch: () => void;
}

/**
 * The models, virtualised: a real table, with spacer rows for what is not rendered. One row takes the Tab key; arrows or J and K
 * move, Enter opens, Space chooses for a comparison, F makes a favourite, / goes to the search.
 */
export function ModelTable(props: ModelTableProps) {
  'use no memo';
  const { models, narrow, sort, picked, favourites, onSort, onSearch, ...actions } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const current = Math.min(active, models.length - 1);
  const height = narrow ? 60 : document.documentElement.dataset.density === 'compact' ? 36 : 44;
  const rows = useVirtualizer({
    count: models.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (at) => models[at]?.id ?? at,
    overscan: 12,
  });
  const stable = useStable(actions);
  const items = rows.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = narrow ? 2 : 9;

  const focusRow = (at: number) => {
    setActive(at);
    rows.scrollToIndex(at);
    // The row may be rendered only by then.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${at}"]`)?.focus({ preventScroll: true }),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = Number((event.target as HTMLElement).dataset.row ?? Number.NaN);
    const model = models[at];
    if (event.key === '/') onSearch();
    else if (!model || event.altKey) return;
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) actions.onUse(model);
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === 'ArrowDown' || event.key === 'j') focusRow(Math.min(models.length - 1, at + 1));
    else if (event.key === 'ArrowUp' || event.key === 'k') focusRow(Math.max(0, at - 1));
    else if (event.key === 'Home') focusRow(0);
    else if (event.key === 'End') focusRow(models.length - 1);
    else if (event.key === ' ') actions.onPick(model);
    else if (event.key === 'f') actions.onFavourite(model);
    else return;
    event.preventDefault();
  };

  return (
    <div className="scroll-frame min-h-0 flex-1">
      <ScrollGroup ref={scroller} label={text.table} className="h-full overflow-auto">
        <table
          onKeyDown={onKeyDown}
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
          {narrow ? <NarrowHead /> : <ModelTableHead sort={sort} onSort={onSort} />}
          <tbody>
            {above > 0 && <Gap height={above} columns={columns} />}
            {items.map((item) => {
              const model = models[item.index];
              if (!model) return null;
              return (
                <ModelRow
                  key={item.key}
                  model={model}
                  index={item.index}
                  narrow={narrow}
                  active={item.index === current}
                  picked={picked.includes(model.id)}
                  favourite={favourites.includes(model.id)}
                  {...stable}
                />
              );
            })}
            {below > 0 && <Gap height={below} columns={columns} />}
          </tbody>
        </table>
      </ScrollGroup>
    </div>
  );
}

/** The same functions for good, which do what the latest ones do: a row is drawn anew only where what it shows has changed. */
function useStable(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  const [stable] = useState<RowActions>(() => ({
    onOpen: (model) => latest.current.onOpen(model),
    onUse: (model) => latest.current.onUse(model),
    onPick: (model) => latest.current.onPick(model),
    onFavourite: (model) => latest.current.onFavourite(model),
  }));
  return stable;
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} className="p-0" style={{ height }} />
    </tr>
  );
}

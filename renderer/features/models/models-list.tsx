import { useVirtualizer } from '@tanstack/react-virtual';
import { Download, KeyRound, Layers, Scale, Split } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { type CatalogueModel, catalogueLimits } from '#shared/contract/app/catalogue.ts';
import { csvRow } from '#shared/csv.ts';
import { parseUsdPerToken } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import { useCatalogue, useChatNeeds, useLastChat } from '../../api/use-catalogue.ts';
import { type ProviderName, useProviderName } from '../../api/use-provider-name.ts';
import { saveFile } from '../../browser/save-file.ts';
import { useNarrow } from '../../browser/use-media.ts';
import { newChat, useNav } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { getRetryAt, getSentence } from '../../text/error-text.ts';
import { since } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Remedy } from '../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { filterModels, isUsable, type ModelFilter, noFilter } from './filter-models.ts';
import { ModelRow, type RowActions } from './model-row.tsx';
import { ModelSheet } from './model-sheet.tsx';
import { ModelTableHead, NarrowHead } from './model-table-head.tsx';
import { ModelsFilters } from './models-filters.tsx';
import { useAddress } from './use-address.ts';
import { usePreferred } from './use-preferred.ts';

/** Formats a price as USD per million tokens, exactly and without a currency sign. */
function perMillion(perToken: string | null | undefined): string {
  if (!perToken) return '';
  const text = parseUsdPerToken(perToken).toString().padStart(7, '0');
  const fraction = text.slice(-6).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -6) : `${text.slice(0, -6)}.${fraction}`;
}

type Cell = (model: CatalogueModel, providerName: ProviderName) => string;

const columns: readonly (readonly [string, Cell])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['provider', ({ provider }) => provider],
  ['provider_name', ({ owned_by }, providerName) => providerName(owned_by)],
  ['status', ({ status }) => status],
  ['context_length', ({ context_length: tokens }) => String(tokens ?? '')],
  ['max_output_tokens', ({ max_output_tokens: tokens }) => String(tokens ?? '')],
  ['capabilities', ({ capabilities }) => capabilities.join(' ')],
  ['input_usd_per_million', ({ pricing }) => perMillion(pricing?.prompt)],
  ['cached_input_usd_per_million', ({ pricing }) => perMillion(pricing?.input_cache_read)],
  ['cache_write_usd_per_million', ({ pricing }) => perMillion(pricing?.input_cache_write)],
  ['output_usd_per_million', ({ pricing }) => perMillion(pricing?.completion)],
  ['price_as_of', ({ pricing }) => pricing?.as_of ?? ''],
  ['price_source', ({ pricing }) => pricing?.source ?? ''],
  ['deprecation_date', (model) => model.deprecation_date ?? ''],
  ['shutdown_date', (model) => model.shutdown_date ?? ''],
];

/** Formats models as CSV (RFC 4180), with exact prices. */
export const modelsCsv = (models: readonly CatalogueModel[], providerName: ProviderName): string =>
  [
    columns.map(([name]) => name),
    ...models.map((model) => columns.map(([, getValue]) => getValue(model, providerName))),
  ]
    .map(csvRow)
    .join('');

function saveModelsCsv(models: readonly CatalogueModel[], providerName: ProviderName): void {
  saveFile(new Blob([modelsCsv(models, providerName)], { type: 'text/csv;charset=utf-8' }), 'portico-models.csv');
}

const most = 3;

/**
 * Returns suggestions for when nothing matches: models that fail only one part of the filter, in the order in which
 * people give parts up, then models with a similar name.
 */
function nearestModels<Listed extends Model>(
  models: readonly Listed[],
  filter: ModelFilter,
  providerName: ProviderName,
): Listed[] {
  const looser: ModelFilter[] = [
    { ...filter, fits: null },
    { ...filter, favourites: false },
    { ...filter, maxInput: null },
    { ...filter, minContext: null },
    { ...filter, usable: false },
    { ...filter, abilities: new Set() },
    { ...filter, providers: new Set() },
    { ...filter, query: '' },
    ...filter.query
      .split(/[\s-]+/)
      .filter((word) => word.length > 2)
      .map((word) => ({ ...noFilter, query: word })),
  ];
  for (const filter of looser) {
    const found = filterModels(models, filter, { providerName });
    const some = found.filter(({ kind }) => kind !== 'router');
    if (some.length > 0 && found.length < models.length) return some.slice(0, most);
  }
  return [];
}

/** All models with their prices, whether or not there is a key for them. */
export function ModelsList() {
  const list = useCatalogue();
  const go = useNav((nav) => nav.go);
  const models = list.data?.models ?? [];
  const providers = new Set(models.map((model) => model.provider)).size;
  return (
    <>
      <PageHeader
        title={text.title}
        note={list.data && text.summary(models.length, providers, since(list.data.fetchedAt, Date.now()))}
      >
        <Button onClick={() => go({ page: 'models', view: 'what-if' })}>
          <Split size={14} aria-hidden />
          {text.whatIf}
        </Button>
        <Button className="max-sm:hidden" onClick={() => go({ page: 'settings', section: 'providers' })}>
          <KeyRound size={14} aria-hidden />
          {text.yourKeys}
        </Button>
      </PageHeader>
      {list.isPending && (
        <div className="px-5">
          <SkeletonRows rows={12} label={text.loading} />
        </div>
      )}
      {list.isError && !list.data && (
        <Failure title={text.failed} error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data && models.length === 0 && (
        <Empty icon={Layers} title={text.empty}>
          {text.emptyNote}
        </Empty>
      )}
      {list.data?.problem && (
        <div className="px-5 pb-2">
          <Notice tone="warn" actions={<Button onClick={() => void list.refetch()}>{text.retry}</Button>}>
            {getSentence(list.data.problem)}{' '}
            <Remedy
              failure={{ remedy: '', retryAt: getRetryAt(list.dataUpdatedAt, list.data.retryAfterMs) }}
              byItself
            />
          </Notice>
        </div>
      )}
      {models.length > 0 && <Catalogue models={models} allPrices={list.data?.allPrices ?? true} />}
    </>
  );
}

function Catalogue({ models, allPrices }: { models: readonly CatalogueModel[]; allPrices: boolean }) {
  const { address, step, type } = useAddress();
  const { filter, picked } = address;
  const go = useNav((nav) => nav.go);
  const narrow = useNarrow();
  const preferred = usePreferred();
  const providerName = useProviderName();
  const { inform } = useNotify();
  const search = useRef<HTMLInputElement>(null);
  const lastChat = useLastChat();
  const chat = useChatNeeds(filter.fits).data ?? null;
  // The list may lag behind typing.
  const shown = filterModels(models, useDeferredValue(filter), {
    providerName,
    favourites: preferred.favourites,
    chat,
  });
  const chosen = models.find(({ id }) => id === address.model) ?? null;
  const use = (model: CatalogueModel) => {
    useDrafts.getState().setModel(draftKey(null), model.id);
    go(newChat);
  };
  const pick = (id: string) => {
    const others = picked.filter((other) => other !== id);
    if (others.length === picked.length && picked.length === catalogueLimits.compared) {
      return inform(text.compareFull(catalogueLimits.compared));
    }
    step({ picked: others.length === picked.length ? [...picked, id] : others });
  };
  return (
    <>
      <ModelsFilters
        models={models}
        filter={filter}
        matching={shown.length}
        searchRef={search}
        chat={lastChat}
        onType={type}
        onChange={(next) => step({ filter: next })}
      >
        <Button disabled={shown.length === 0} onClick={() => saveModelsCsv(shown, providerName)}>
          <Download size={14} aria-hidden />
          {text.csv}
        </Button>
      </ModelsFilters>
      <About models={shown} allPrices={allPrices} />
      {filter.fits !== null && (
        <p className="px-5 pt-2 text-fg-2 text-sm max-sm:px-3">
          {chat ? text.fitsTitle(chat.title, chat.tokens) : text.fitsNothing}
        </p>
      )}
      {shown.length === 0 ? (
        <Nothing
          nearest={nearestModels(models, filter, providerName)}
          onOpen={(model) => step({ model: model.id })}
          onClear={() => step({ filter: { ...noFilter, sort: filter.sort } })}
        />
      ) : (
        <ModelTable
          models={shown}
          narrow={narrow}
          sort={filter.sort}
          picked={picked}
          favourites={preferred.favourites}
          onSort={(sort) => step({ filter: { ...filter, sort } })}
          onOpen={(model) => step({ model: model.id })}
          onUse={(model) => isUsable(model) && use(model)}
          onPick={(model) => pick(model.id)}
          onFavourite={(model) => preferred.toggleFavourite(model.id)}
          onSearch={() => search.current?.focus()}
        />
      )}
      {picked.length > 0 && (
        <div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t px-5 py-2 max-sm:px-3">
          <Button
            variant="primary"
            disabled={picked.length < 2}
            onClick={() =>
              go({
                page: 'models',
                view: 'compare',
                search: new URLSearchParams({ pick: picked.join(',') }).toString(),
              })
            }
          >
            <Scale size={14} aria-hidden />
            {text.compareCount(picked.length)}
          </Button>
          <Button variant="quiet" onClick={() => step({ picked: [] })}>
            {text.clearPicked}
          </Button>
        </div>
      )}
      <ModelSheet
        model={chosen}
        favourite={chosen !== null && preferred.favourites.includes(chosen.id)}
        picked={chosen !== null && picked.includes(chosen.id)}
        models={models}
        onClose={() => step({ model: null })}
        onOpen={(id) => step({ model: id })}
        onUse={use}
        onFavourite={preferred.toggleFavourite}
        onPick={pick}
      />
    </>
  );
}

/** Notes on the prices of the shown list. */
function About({ models, allPrices }: { models: readonly CatalogueModel[]; allPrices: boolean }) {
  const ages = models.flatMap(({ staleDays }) => staleDays ?? []);
  if (ages.length === 0 && allPrices) return null;
  return (
    <p className="shrink-0 px-5 pt-2 text-fg-3 text-xs max-sm:px-3">
      {ages.length > 0 && text.staleNotice(ages.length, Math.max(...ages))} {!allPrices && text.listedOnly}
    </p>
  );
}

interface NothingProps {
  nearest: readonly CatalogueModel[];
  onOpen: (model: CatalogueModel) => void;
  onClear: () => void;
}

function Nothing({ nearest, onOpen, onClear }: NothingProps) {
  return (
    <Empty icon={Layers} title={text.none}>
      {nearest.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center justify-center gap-1">
          <span>{text.nearest}</span>
          {nearest.map((model) => (
            <Button key={model.id} variant="quiet" className="h-7 px-1.5 text-accent" onClick={() => onOpen(model)}>
              {model.name}
            </Button>
          ))}
        </p>
      )}
      <Button className="mt-3" onClick={onClear}>
        {text.clear}
      </Button>
    </Empty>
  );
}

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
 * The models as a real table, virtualised with spacer rows. One row takes the Tab key. Arrows or J and K move, Enter
 * opens, Space chooses for a comparison, F marks a favourite, / goes to the search.
 */
function ModelTable(props: ModelTableProps) {
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
    getItemKey: (index) => models[index]?.id ?? index,
    overscan: 12,
  });
  const stable = useStable(actions);
  const items = rows.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = narrow ? 2 : 9;

  const focusRow = (index: number) => {
    setActive(index);
    rows.scrollToIndex(index);
    // The row may be rendered only in the next frame.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus({ preventScroll: true }),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = Number((event.target as HTMLElement).dataset.row ?? Number.NaN);
    const model = models[index];
    if (event.key === '/') onSearch();
    else if (!model || event.altKey) return;
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) actions.onUse(model);
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === 'ArrowDown' || event.key === 'j') focusRow(Math.min(models.length - 1, index + 1));
    else if (event.key === 'ArrowUp' || event.key === 'k') focusRow(Math.max(0, index - 1));
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

/**
 * Returns functions that never change but call the latest actions, so that a row renders again only when its data
 * changes.
 */
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

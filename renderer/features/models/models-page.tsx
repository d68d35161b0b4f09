import { ChevronDown, KeyRound, Layers, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useModels } from '../../api/use-core.ts';
import { useNarrow } from '../../browser/use-media.ts';
import { newChat, useNav } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { retryAtOf, sentenceOf } from '../../text/error-text.ts';
import { since } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Menu, MenuChoice } from '../../ui/dialogs/menu.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Chip } from '../../ui/elements/chip.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { providerName } from '../../ui/elements/provider-name.ts';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Remedy } from '../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { abilities } from './abilities.ts';
import { abilityIcons } from './ability-icons.ts';
import { filterModels, type ModelFilter, noFilter } from './filter-models.ts';
import { ModelSheet } from './model-sheet.tsx';
import { ModelTable } from './model-table.tsx';

export function ModelsPage() {
  const list = useModels();
  const go = useNav((nav) => nav.go);
  const query = useNav(({ loc }) => (loc.page === 'models' ? (loc.query ?? '') : ''));
  const models = list.data?.models ?? [];
  const providers = new Set(models.map((model) => model.provider)).size;
  return (
    <>
      <PageHeader
        title={text.title}
        note={list.data && text.summary(models.length, providers, since(list.data.fetchedAt, Date.now()))}
      >
        <Button onClick={() => go({ page: 'settings', section: 'providers' })}>
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
          <Notice tone="warn">
            {sentenceOf(list.data.problem)}{' '}
            <Remedy failure={{ remedy: '', retryAt: retryAtOf(list.dataUpdatedAt, list.data.retryAfterMs) }} byItself />{' '}
            <Button variant="quiet" className="h-6 px-1.5 text-accent" onClick={() => void list.refetch()}>
              {text.retry}
            </Button>
          </Notice>
        </div>
      )}
      {models.length > 0 && <Catalogue key={query} models={models} query={query} />}
    </>
  );
}

/** `query`: the filter that the location names. */
function Catalogue({ models, query }: { models: readonly Model[]; query: string }) {
  const [filter, setFilter] = useState({ ...noFilter, query });
  const [chosen, setChosen] = useState<Model | null>(null);
  const go = useNav((nav) => nav.go);
  const narrow = useNarrow();
  // The list may lag behind typing.
  const shown = filterModels(models, useDeferredValue(filter));
  const chat = (model: Model) => {
    useDrafts.getState().setModel(draftKey(null), model.id);
    go(newChat);
  };
  return (
    <>
      <Filters models={models} filter={filter} onChange={setFilter} matching={shown.length} />
      {shown.length === 0 ? (
        <Empty icon={Layers} title={text.none}>
          <Button className="mt-3" onClick={() => setFilter({ ...noFilter, sort: filter.sort })}>
            {text.clear}
          </Button>
        </Empty>
      ) : (
        <ModelTable
          models={shown}
          narrow={narrow}
          sort={filter.sort}
          onSort={(sort) => setFilter({ ...filter, sort })}
          onChoose={setChosen}
        />
      )}
      <ModelSheet model={chosen} onClose={() => setChosen(null)} onUse={chat} />
    </>
  );
}

interface FiltersProps {
  models: readonly Model[];
  filter: ModelFilter;
  onChange: (filter: ModelFilter) => void;
  matching: number;
}

function Filters({ models, filter, onChange, matching }: FiltersProps) {
  const active = filter.query !== '' || filter.providers.size > 0 || filter.abilities.size > 0;
  return (
    <search
      aria-label={text.filter}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-line border-b px-5 pt-1 pb-3 max-sm:px-3"
    >
      <SearchField label={text.filter} value={filter.query} onChange={(query) => onChange({ ...filter, query })} />
      <ProviderFilter models={models} filter={filter} onChange={onChange} />
      {abilities.map((ability) => (
        <Chip
          key={ability}
          icon={abilityIcons[ability]}
          pressed={filter.abilities.has(ability)}
          onChange={() => onChange({ ...filter, abilities: toggled(filter.abilities, ability) })}
        >
          {text.capabilities[ability]}
        </Chip>
      ))}
      <span className="flex-1" />
      <span role="status" className="text-fg-3 tabular-nums">
        {active && text.matching(matching)}
      </span>
      {active && (
        <IconButton
          icon={X}
          label={text.clear}
          size="sm"
          onClick={() => onChange({ ...noFilter, sort: filter.sort })}
        />
      )}
    </search>
  );
}

function ProviderFilter({ models, filter, onChange }: Omit<FiltersProps, 'matching'>) {
  const names = new Map(
    models.map((model) => [model.provider, model.provider === 'portico' ? model.name : providerName(model.owned_by)]),
  );
  return (
    <Menu
      trigger={
        <Button>
          {filter.providers.size > 0 ? text.providers(filter.providers.size) : text.provider}
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      {[...names]
        .sort((a, b) => a[1].localeCompare(b[1]))
        .map(([provider, name]) => (
          <MenuChoice
            key={provider}
            checked={filter.providers.has(provider)}
            onChange={() => onChange({ ...filter, providers: toggled(filter.providers, provider) })}
          >
            {name}
          </MenuChoice>
        ))}
    </Menu>
  );
}

function toggled<Value>(set: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

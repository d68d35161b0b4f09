import { Download, KeyRound, Layers, Scale, Split } from 'lucide-react';
import { useDeferredValue, useRef } from 'react';
import { type CatalogueModel, catalogueLimits } from '#shared/contract/app/catalogue.ts';
import { useCatalogue, useChatNeeds, useLastChat } from '../../api/use-catalogue.ts';
import { useProviderName } from '../../api/use-provider-name.ts';
import { useNarrow } from '../../browser/use-media.ts';
import { newChat, useNav } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { getRetryAt, getSentence } from '../../text/error-text.ts';
import { since } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Remedy } from '../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { filterModels, isUsable, noFilter } from './filter-models.ts';
import { ModelSheet } from './model-sheet.tsx';
import { ModelTable } from './model-table.tsx';
import { saveModelsCsv } from './models-csv.ts';
import { ModelsFilters } from './models-filters.tsx';
import { nearestModels } from './nearest-models.ts';
import { useAddress } from './use-address.ts';
import { usePreferred } from './use-preferred.ts';

/** Every model with its prices, whether or not there is a key for it. */
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
  const { say } = useNotify();
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
    const others = picked.filter((each) => each !== id);
    if (others.length === picked.length && picked.length === catalogueLimits.compared) {
      return say(text.compareFull(catalogueLimits.compared));
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

/** What holds for the prices of the shown list. */
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

import { Combobox } from '@base-ui/react/combobox';
import { ArrowLeft, Plus, Split, X } from 'lucide-react';
import { useState } from 'react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { type CatalogueModel, catalogueLimits } from '#shared/contract/app/catalogue.ts';
import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import { addDays, isTimeZone, startOfDay } from '#shared/days.ts';
import { useCatalogue, useWhatIf } from '../../../api/use-catalogue.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { useNav } from '../../../navigation/nav.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { dayRange, usdPerMillion } from '../../../text/format.ts';
import { text } from '../../../text/models-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { filterModels, noFilter } from '../../models/filter-models.ts';
import { readAddress } from '../../models/models-address.ts';
import { rangeText, readRange } from '../usage/periods.ts';
import { WhatIfResults } from './what-if-results.tsx';

const maxShown = 60;

interface PricedModelPickerProps {
  label: string;
  models: readonly CatalogueModel[];
  onChoose: (id: string) => void;
}

/** A picker for any model with a price. Pricing needs no key. */
function PricedModelPicker({ label, models, onChoose }: PricedModelPickerProps) {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const providerName = useProviderName();
  const matching = () => filterModels(models, { ...noFilter, query }, { providerName });
  const found = open ? inOrder(matching(), query).slice(0, maxShown) : [];
  return (
    <Combobox.Root<CatalogueModel>
      items={found}
      filter={null}
      value={null}
      onValueChange={(model) => model && onChoose(model.id)}
      itemToStringLabel={(model) => model.name}
      inputValue={query}
      onInputValueChange={setQuery}
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setQuery('');
      }}
      autoHighlight
    >
      <Combobox.Trigger
        render={
          <Button aria-label={label}>
            <Plus size={14} aria-hidden />
            {label}
          </Button>
        }
      />
      <Combobox.Portal>
        <Combobox.Positioner side="bottom" align="start" sideOffset={6} collisionPadding={8} className="z-50">
          <Combobox.Popup
            aria-label={label}
            className="now flex max-h-[min(var(--available-height),400px)] w-[420px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-menu border border-line bg-raised shadow-float"
          >
            <Combobox.Input
              aria-label={text.filter}
              placeholder={text.filter}
              className="h-10 w-full shrink-0 border-line border-b bg-transparent px-3 text-sm focus-visible:outline-none"
            />
            <Combobox.Empty>
              <p className="px-3 py-6 text-center text-fg-2 text-sm">{text.none}</p>
            </Combobox.Empty>
            <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
              {(model: CatalogueModel) => (
                <Combobox.Item
                  key={model.id}
                  value={model}
                  className="flex min-h-9 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
                >
                  <ProviderMark provider={model.provider} />
                  <span className="min-w-0 flex-1 truncate">{model.name}</span>
                  <span className="shrink-0 text-fg-3 text-xs tabular-nums">
                    {model.pricing &&
                      `${usdPerMillion(model.pricing.prompt)} / ${usdPerMillion(model.pricing.completion)}`}
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <p className="border-line border-t px-3 py-1.5 text-right text-fg-3 text-xs">{text.perMillion}</p>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** Lists exact name matches first, so that "opus 5" doesn't find Opus 4.5 first. */
function inOrder(found: readonly CatalogueModel[], query: string): CatalogueModel[] {
  const typed = query.trim().toLowerCase();
  const isOther = ({ name }: CatalogueModel) => Number(!name.toLowerCase().includes(typed));
  return found.toSorted((a, b) => isOther(a) - isOther(b));
}

const whatIfPeriods = ['7', '30', '90', 'month', 'year'] as const;
type WhatIfPeriod = (typeof whatIfPeriods)[number];

const dayMs = 86_400_000;

/** Returns the bounds of a period in whole UTC days, today included. `end` is exclusive. */
export function whatIfRange(period: WhatIfPeriod, nowMs: number): { start: number; end: number } {
  const end = Math.floor(nowMs / dayMs) * dayMs + dayMs;
  const now = new Date(nowMs);
  if (period === 'month') return { start: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1), end };
  if (period === 'year')
    return { start: Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate() + 1), end };
  return { start: end - Number(period) * dayMs, end };
}

/**
 * Parses days of a time zone from the address, both ends inclusive: `days=2026-10-26/2026-11-24&zone=Europe/Berlin`.
 */
export function givenDays(search: string): UsagePeriod | null {
  const given = new URLSearchParams(search);
  const days = readRange(given.get('days') ?? undefined);
  const zone = given.get('zone') ?? 'UTC';
  return days && isTimeZone(zone) ? { ...days, zone } : null;
}

/** Builds the page's address. If `days` is null, the stored period applies. */
export function whatIfSearch(picked: readonly string[], days: UsagePeriod | null): string {
  const parts = {
    ...(picked.length > 0 && { pick: picked.join(',') }),
    ...(days && { days: rangeText(days) }),
    ...(days && days.zone !== 'UTC' && { zone: days.zone }),
  };
  return new URLSearchParams(parts).toString();
}

/** Returns the bounds of the given days. `end` is exclusive. */
export const toRange = ({ first, last, zone }: UsagePeriod): { start: number; end: number } => ({
  start: startOfDay(zone, first),
  end: startOfDay(zone, addDays(last, 1)),
});

const { whatIfPage: page } = text;

/** Prices a period of the account's own requests on other models. */
export function WhatIfPage() {
  const [period, setPeriod] = useLocalSetting('whatIfPeriod', whatIfPeriods, '30');
  const go = useNav((nav) => nav.go);
  const { address, days } = useWhatIfAddress();
  const choosePeriod = (next: WhatIfPeriod | 'given') => {
    if (next === 'given') return;
    setPeriod(next);
    go(whatIfLoc(address.picked, null));
  };
  return (
    <BillingAccountPage
      wide
      title={page.title}
      billingAccountLabel={page.billingAccount}
      failed={page.failed}
      loading={<SkeletonRows rows={6} label={page.loading} />}
      controls={
        <>
          <Button onClick={() => go({ page: 'models' })}>
            <ArrowLeft size={14} aria-hidden />
            {text.backToList}
          </Button>
          <Segmented
            label={page.period}
            value={days ? 'given' : period}
            onChange={choosePeriod}
            options={[
              ...(days ? [{ value: 'given' as const, label: dayRange(days.first, days.last) }] : []),
              ...whatIfPeriods.map((value) => ({ value, label: page.periods[value] })),
            ]}
          />
        </>
      }
    >
      {(billingAccount) => (
        <Comparison
          key={billingAccount.id}
          billingAccount={billingAccount}
          range={days ? toRange(days) : whatIfRange(period, Date.now())}
        />
      )}
    </BillingAccountPage>
  );
}

/** The chosen models and the given days, stored in the address. */
function useWhatIfAddress() {
  const search = useNav(({ loc }) => (loc.page === 'models' ? (loc.search ?? '') : ''));
  return { address: readAddress(search), days: givenDays(search) };
}

function whatIfLoc(picked: readonly string[], days: UsagePeriod | null) {
  const search = whatIfSearch(picked, days);
  return { page: 'models' as const, view: 'what-if' as const, ...(search !== '' && { search }) };
}

function Comparison({
  billingAccount,
  range,
}: {
  billingAccount: BillingAccountBalance;
  range: { start: number; end: number };
}) {
  const { address, days } = useWhatIfAddress();
  const go = useNav((nav) => nav.go);
  const list = useCatalogue();
  const priced = (list.data?.models ?? []).filter(({ pricing, kind }) => pricing !== null && kind === 'chat');
  const chosen = address.picked.flatMap((id) => priced.find((model) => model.id === id) ?? []);
  const ids = chosen.map(({ id }) => id);
  const result = useWhatIf(billingAccount.id, range, ids);
  const choose = (picked: readonly string[]) => go(whatIfLoc(picked, days));
  return (
    <>
      <p className="mb-3 text-fg-2">{page.note}</p>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        {chosen.map((model) => (
          <Chosen key={model.id} model={model} onRemove={() => choose(ids.filter((id) => id !== model.id))} />
        ))}
        {chosen.length < catalogueLimits.whatIf && (
          <PricedModelPicker
            label={page.add}
            models={priced.filter(({ id }) => !ids.includes(id))}
            onChoose={(id) => choose([...ids, id])}
          />
        )}
      </div>
      {chosen.length === 0 && <Empty icon={Split} title={page.none} />}
      {chosen.length > 0 && result.isPending && <SkeletonRows rows={4} label={page.loading} />}
      {result.isError && !result.data && (
        <NotRead
          title={page.failed}
          notReported={page.notReported}
          error={result.error}
          onRetry={() => void result.refetch()}
        />
      )}
      {chosen.length > 0 && result.data && (
        <>
          <Stale error={result.error} readAt={result.dataUpdatedAt} />
          {result.data.requests === 0 ? (
            <Empty icon={Split} title={page.empty}>
              {page.emptyNote}
            </Empty>
          ) : (
            <WhatIfResults result={result.data} />
          )}
        </>
      )}
    </>
  );
}

function Chosen({ model, onRemove }: { model: CatalogueModel; onRemove: () => void }) {
  return (
    <span className="inline-flex h-control items-center gap-1.5 rounded-control border border-line pl-2 text-sm">
      <ProviderMark provider={model.provider} size={16} />
      {model.name}
      <IconButton icon={X} size="sm" label={text.remove(model.name)} onClick={onRemove} />
    </span>
  );
}

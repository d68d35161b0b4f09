import { ArrowLeft, Split, X } from 'lucide-react';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { type CatalogueModel, catalogueLimits } from '#shared/contract/app/catalogue.ts';
import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import { useCatalogue, useWhatIf } from '../../../api/use-catalogue.ts';
import { useLocalSetting } from '../../../browser/use-local-setting.ts';
import { useNav } from '../../../navigation/nav.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { dayRange } from '../../../text/format.ts';
import { text } from '../../../text/models-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Empty } from '../../../ui/notices/empty.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { readAddress } from '../../models/models-address.ts';
import { PricedModelPicker } from './priced-model-picker.tsx';
import {
  givenDays,
  rangeOfDays,
  type WhatIfPeriod,
  whatIfPeriods,
  whatIfRange,
  whatIfSearch,
} from './what-if-period.ts';
import { WhatIfResults } from './what-if-results.tsx';

const { whatIfPage: page } = text;

/** A period of one’s own requests, priced on other models. */
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
          range={days ? rangeOfDays(days) : whatIfRange(period, Date.now())}
        />
      )}
    </BillingAccountPage>
  );
}

/** The chosen models and the given days, which the address has. */
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

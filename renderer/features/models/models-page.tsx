import { ArrowLeft, Scale, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { parseUsdPerToken } from '#shared/money.ts';
import { useCatalogue } from '../../api/use-catalogue.ts';
import { useProviderName } from '../../api/use-provider-name.ts';
import { useNav } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { PageBody } from '../../ui/elements/page-body.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { Table, tableCell } from '../../ui/elements/table.tsx';
import { Empty } from '../../ui/notices/empty.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { Calculator } from './calculator.tsx';
import { Status } from './model-row.tsx';
import { ModelsList } from './models-list.tsx';
import { isoDay } from './price-facts.tsx';
import { useAddress } from './use-address.ts';

const { details } = text;

/** Compares up to five models with their facts in rows. The best value of each row is marked. */
function CompareView() {
  const list = useCatalogue();
  const providerName = useProviderName();
  const { address } = useAddress();
  const go = useNav((nav) => nav.go);
  const models = address.picked.flatMap((id) => list.data?.models.find((model) => model.id === id) ?? []);
  const show = (picked: readonly string[]) =>
    go({ page: 'models', view: 'compare', search: new URLSearchParams({ pick: picked.join(',') }).toString() });
  return (
    <>
      <PageHeader title={text.compare}>
        <Button
          onClick={() =>
            go({ page: 'models', search: new URLSearchParams({ pick: address.picked.join(',') }).toString() })
          }
        >
          <ArrowLeft size={14} aria-hidden />
          {text.backToList}
        </Button>
      </PageHeader>
      <PageBody label={text.compare}>
        {list.isPending && <SkeletonRows rows={8} label={text.loading} />}
        {list.isError && !list.data && (
          <Failure title={text.failed} error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.data && models.length === 0 && (
          <Empty icon={Scale} title={text.nothingPicked}>
            {text.nothingPickedNote}
          </Empty>
        )}
        {models.length > 0 && (
          <>
            <Table
              label={text.sideBySide}
              pinned
              columns={[{ name: text.compared }, ...models.map(({ id, name }) => ({ id, name }))]}
            >
              <tr>
                <th scope="row" className={`${tableCell} text-left font-normal text-fg-2`}>
                  {text.provider}
                </th>
                {models.map((model) => (
                  <td key={model.id} className={tableCell}>
                    <span className="flex items-center gap-2">
                      <ProviderMark provider={model.provider} />
                      {providerName(model.owned_by)}
                      <IconButton
                        icon={X}
                        size="sm"
                        label={text.remove(model.name)}
                        onClick={() => show(address.picked.filter((id) => id !== model.id))}
                      />
                    </span>
                  </td>
                ))}
              </tr>
              {rows.map(({ name, render, value, isLowerBetter }) => (
                <Row
                  key={name}
                  name={name}
                  models={models}
                  best={getBest(models, value, isLowerBetter ?? false)}
                  render={render}
                />
              ))}
            </Table>
            <div className="max-w-[520px]">
              <Calculator models={models} heading="h2" />
            </div>
            <Button
              className="mt-4"
              onClick={() =>
                go({
                  page: 'models',
                  view: 'what-if',
                  search: new URLSearchParams({ pick: address.picked.join(',') }).toString(),
                })
              }
            >
              {text.whatIf}
            </Button>
          </>
        )}
      </PageBody>
    </>
  );
}

interface Attribute {
  readonly name: string;
  readonly render: (model: CatalogueModel) => ReactNode;
  /** The value to compare. Absent: no value is better than another. */
  readonly value?: (model: CatalogueModel) => bigint | null;
  /** True if the smallest value is the best. */
  readonly isLowerBetter?: true;
}

type PriceName = 'prompt' | 'completion' | 'input_cache_read' | 'input_cache_write';

const price = (name: string, key: PriceName): Attribute => ({
  name,
  render: ({ pricing }) => (pricing?.[key] ? usdPerMillion(pricing[key]) : '—'),
  value: ({ pricing }) => (pricing?.[key] ? parseUsdPerToken(pricing[key]) : null),
  isLowerBetter: true,
});
const size = (name: string, render: (model: CatalogueModel) => number | null): Attribute => ({
  name,
  render: (model) => text.tokens(render(model)),
  value: (model) => {
    const tokens = render(model);
    return tokens === null ? null : BigInt(tokens);
  },
});
const named = (names: Readonly<Record<string, string>>, listed: readonly string[]) =>
  listed.map((id) => names[id] ?? id).join(', ') || '—';

const rows: readonly Attribute[] = [
  { name: text.columns.status, render: (model) => <Status model={model} /> },
  price(text.columns.input, 'prompt'),
  price(text.columns.output, 'completion'),
  price(text.columns.cached, 'input_cache_read'),
  price(`${details.cacheWrite} /1M`, 'input_cache_write'),
  {
    name: text.priceTiers,
    render: ({ pricing }) =>
      pricing && pricing.tiers.length > 0
        ? pricing.tiers.map((tier) => (
            <div key={tier.min_prompt_tokens}>
              {details.tier(tier.min_prompt_tokens)}: {usdPerMillion(tier.prompt)} / {usdPerMillion(tier.completion)}
            </div>
          ))
        : '—',
  },
  { name: text.priceDay, render: ({ pricing }) => (pricing?.as_of ? isoDay(pricing.as_of) : '—') },
  size(details.context, ({ context_length: tokens }) => tokens),
  size(details.output, ({ max_output_tokens: tokens }) => tokens),
  { name: details.accepts, render: (model) => named(text.modalities, model.architecture.input_modalities) },
  { name: details.can, render: (model) => named(text.abilities, model.capabilities) },
  { name: details.effort, render: (model) => model.reasoning_efforts?.join(', ') || '—' },
];

/** Returns the ids of the models with the best value. Empty if all are equal or only one has a value. */
function getBest(
  models: readonly CatalogueModel[],
  value: Attribute['value'],
  isLowerBetter: boolean,
): ReadonlySet<string> {
  const valued = models.flatMap((model) => {
    const found = value?.(model) ?? null;
    return found === null ? [] : [{ id: model.id, found }];
  });
  const sorted = valued.map(({ found }) => found).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const best = isLowerBetter ? sorted[0] : sorted.at(-1);
  if (sorted[0] === sorted.at(-1)) return new Set();
  return new Set(valued.filter(({ found }) => found === best).map(({ id }) => id));
}

interface RowProps {
  name: string;
  models: readonly CatalogueModel[];
  best: ReadonlySet<string>;
  render: (model: CatalogueModel) => ReactNode;
}

function Row({ name, models, best, render }: RowProps) {
  return (
    <tr>
      <th
        scope="row"
        className={`${tableCell} py-2 text-left align-top font-normal text-fg-2 max-sm:min-w-28 max-sm:whitespace-normal!`}
      >
        {name}
      </th>
      {models.map((model) => (
        <td
          key={model.id}
          className={`${tableCell} min-w-40 py-2 align-top whitespace-normal! ${best.has(model.id) ? 'font-semibold' : ''}`}
        >
          {render(model)}
          {best.has(model.id) && <span className="ml-1.5 font-normal text-fg-3 text-xs">{text.better}</span>}
        </td>
      ))}
    </tr>
  );
}

/** The list of models, or some of them side by side. */
export function ModelsPage() {
  const view = useNav(({ loc }) => (loc.page === 'models' ? loc.view : undefined));
  return view === 'compare' ? <CompareView /> : <ModelsList />;
}

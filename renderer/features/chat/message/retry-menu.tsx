import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import { parseUsd } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import { useModels } from '../../../api/use-core.ts';
import { type ProviderName, useProviderName } from '../../../api/use-provider-name.ts';
import { useOtherPrices } from '../../../api/use-quote.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text as chatText } from '../../../text/chat-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import { costsText as text } from '../../../text/costs-text.ts';
import { signedPerMillion, signedUsd, usd } from '../../../text/format.ts';
import { Hint } from '../../../ui/elements/hint.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { type ModelChoice, matches, modelGroups } from '../../models/picker/model-groups.ts';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { retryTrigger } from './retry-trigger.ts';

const maxShown = 60;

/** A menu that asks another model the same question, and shows the difference in price. */
export function RetryMenu({ item, disabled, tabIndex }: { item: ThreadItem; disabled: boolean; tabIndex: number }) {
  const open = useThreadView((view) => view.retrying === item.id) && !disabled;
  const { setRetrying } = useThreadView.getState();
  const [query, setQuery] = useState('');
  const models = useModels().data?.models ?? [];
  const providerName = useProviderName();
  const prices = useOtherPrices(open ? item.id : null);
  const choices = open ? cheapestFirst(findModels(models, query, providerName), prices).slice(0, maxShown) : [];
  const { regenerate } = useActions();
  return (
    <Combobox.Root<ModelChoice>
      items={choices}
      filter={null}
      value={null}
      onValueChange={(choice) => choice && regenerate(item, choice.id)}
      itemToStringLabel={(choice) => choice.name}
      inputValue={query}
      onInputValueChange={setQuery}
      open={open}
      onOpenChange={(next) => {
        setRetrying(next ? item.id : null);
        setQuery('');
      }}
      autoHighlight
    >
      <Hint label={chatText.retryOther} action="retryOther">
        <Combobox.Trigger
          aria-label={chatText.retryOther}
          disabled={disabled}
          tabIndex={tabIndex}
          className={retryTrigger}
        >
          <ChevronDown size={14} aria-hidden />
        </Combobox.Trigger>
      </Hint>
      <Combobox.Portal>
        <Combobox.Positioner side="top" align="start" sideOffset={6} collisionPadding={8} className="z-50">
          <Combobox.Popup
            aria-label={chatText.retryOther}
            className="now flex max-h-[min(var(--available-height),400px)] w-[420px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-menu border border-line bg-raised shadow-float"
          >
            <Combobox.Input
              aria-label={composerText.searchModels(models.length)}
              placeholder={composerText.searchModels(models.length)}
              className="h-10 w-full shrink-0 border-line border-b bg-transparent px-3 text-sm focus-visible:outline-none"
            />
            <p className="flex justify-between gap-3 border-line border-b px-3 py-1.5 text-fg-3 text-xs">
              <span>{text.perMillion}</span>
              {item.usage && <span>{text.thisAnswer}</span>}
            </p>
            <Combobox.Empty>
              <p className="px-3 py-6 text-center text-fg-2 text-sm">{composerText.noModel}</p>
            </Combobox.Empty>
            <OtherModels prices={prices} />
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function OtherModels({ prices }: { prices: ReadonlyMap<string, OtherPrice> }) {
  return (
    <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
      {(choice: ModelChoice) => <OtherModel key={choice.id} choice={choice} price={prices.get(choice.id)} />}
    </Combobox.List>
  );
}

function OtherModel({ choice, price }: { choice: ModelChoice; price: OtherPrice | undefined }) {
  return (
    <Combobox.Item
      value={choice}
      className="flex min-h-11 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
    >
      <ProviderMark provider={choice.provider} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{choice.name}</span>
        <span className="block truncate text-fg-3 text-xs tabular-nums">
          {choice.price || choice.note || text.noPrice}
          {price?.more && ` (${signedPerMillion(price.more.prompt)} / ${signedPerMillion(price.more.completion)})`}
        </span>
      </span>
      {price?.costUsd && (
        <span className="shrink-0 text-right text-xs tabular-nums">
          <span className="block">{usd(price.costUsd)}</span>
          {price.moreUsd !== null && (
            <span className="block text-fg-3">{price.moreUsd === '0' ? text.sameCost : signedUsd(price.moreUsd)}</span>
          )}
        </span>
      )}
    </Combobox.Item>
  );
}

/** Models that can answer now. */
const findModels = (models: readonly Model[], query: string, providerName: ProviderName): ModelChoice[] =>
  modelGroups(models, providerName)
    .flatMap(({ items }) => items)
    .filter((choice) => !choice.disabled && matches(choice, query));

/** Sorts models by what the answer would cost with them. Models without a price come last, in their original order. */
export function cheapestFirst<Choice extends { readonly id: string }>(
  choices: readonly Choice[],
  prices: ReadonlyMap<string, Pick<OtherPrice, 'costUsd'>>,
): Choice[] {
  const costs = new Map(choices.map(({ id }) => [id, prices.get(id)?.costUsd ?? null]));
  return choices.toSorted((a, b) => {
    const [cost, otherCost] = [costs.get(a.id) ?? null, costs.get(b.id) ?? null];
    if (cost === null || otherCost === null) return Number(cost === null) - Number(otherCost === null);
    const more = parseUsd(cost) - parseUsd(otherCost);
    return more < 0n ? -1 : Number(more > 0n);
  });
}

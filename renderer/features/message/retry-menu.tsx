import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useModels } from '../../api/use-core.ts';
import { text as chatText } from '../../text/chat-text.ts';
import { composerText } from '../../text/composer-text.ts';
import { costsText as text } from '../../text/costs-text.ts';
import { Hint } from '../../ui/elements/hint.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { type PriceDifference, priceDifference } from '../costs/price-difference.ts';
import { type ModelChoice, matches, modelGroups } from '../model-picker/model-groups.ts';
import { useActions } from '../thread-state/message-actions.ts';
import type { ThreadItem } from '../thread-state/thread-items.ts';
import { useThreadView } from '../thread-state/thread-view.ts';

const mostShown = 60;

/** Asks another model the same question, with the difference in price. */
export function RetryMenu({ item, disabled, tabIndex }: { item: ThreadItem; disabled: boolean; tabIndex: number }) {
  const open = useThreadView((view) => view.retrying === item.id) && !disabled;
  const { setRetrying } = useThreadView.getState();
  const [query, setQuery] = useState('');
  const models = useModels().data?.models ?? [];
  const choices = open ? found(models, query) : [];
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
      <Hint label={chatText.retryOther} shortcut="M">
        <Combobox.Trigger
          aria-label={chatText.retryOther}
          disabled={disabled}
          tabIndex={tabIndex}
          className="-ml-1 inline-flex h-7 w-6 items-center justify-center rounded-control text-fg-2 hover:bg-hover hover:text-fg disabled:pointer-events-none disabled:opacity-40 data-popup-open:bg-hover"
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
            <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
              {(choice: ModelChoice) => (
                <OtherModel key={choice.id} choice={choice} price={differenceTo(models, item, choice.id)} />
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function OtherModel({ choice, price }: { choice: ModelChoice; price: PriceDifference }) {
  return (
    <Combobox.Item
      value={choice}
      className="flex min-h-11 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
    >
      <ProviderMark provider={choice.provider} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{choice.name}</span>
        <span className="block truncate text-fg-3 text-xs tabular-nums">
          {price.price === '' ? choice.note || text.noPrice : price.price}
          {price.difference !== '' && ` (${price.difference})`}
        </span>
      </span>
      {price.same && (
        <span className="shrink-0 text-right text-xs tabular-nums">
          <span className="block">{price.same.cost}</span>
          <span className="block text-fg-3">
            {price.same.difference === '' ? text.sameCost : price.same.difference}
          </span>
        </span>
      )}
    </Combobox.Item>
  );
}

/** Models that can answer now, best matches first. */
const found = (models: readonly Model[], query: string): ModelChoice[] =>
  modelGroups(models)
    .flatMap(({ items }) => items)
    .filter((choice) => !choice.disabled && matches(choice, query))
    .slice(0, mostShown);

function differenceTo(models: readonly Model[], item: ThreadItem, id: string): PriceDifference {
  const pricingOf = (wanted: string) => models.find((model) => model.id === wanted)?.pricing;
  const served = item.servedModel ? `${item.servedProvider}/${item.servedModel}` : (item.model ?? '');
  return priceDifference(pricingOf(served) ?? pricingOf(item.model ?? ''), pricingOf(id), item.usage);
}

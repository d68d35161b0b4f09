import type { Model } from '#shared/wire/model.ts';
import type { ProviderName } from '../../../api/use-provider-name.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { costsText } from '../../../text/costs-text.ts';
import { quoteGateway } from '../../../text/error-text.ts';
import { usdPerMillion } from '../../../text/format.ts';
import { text as modelsText } from '../../../text/models-text.ts';
import { type Ability, abilities, isAble } from '../abilities.ts';
import { lacksPrice } from '../lacks-price.ts';

export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** `$5.00 / $25.00` per million tokens in and out, or a note that a vendor's price is unknown. */
  readonly price: string;
  readonly abilities: readonly Ability[];
  readonly note: string;
  readonly disabled: boolean;
  /** The name of the provider whose key is missing. Null if no key is missing. */
  readonly wantsKey: string | null;
  readonly words: string;
}

/** A type alias, because an interface would not fit the index signature of the combobox’s groups. */
export type ModelGroup = {
  readonly value: string;
  readonly items: readonly ModelChoice[];
};

const usable = (model: Model) => model.status === 'available' || model.status === 'degraded';

/** Groups models by provider, newest first. Unusable models come last. */
export function modelGroups(models: readonly Model[], providerName: ProviderName): ModelGroup[] {
  const sorted = [...models].sort(
    (a, b) => rank(a) - rank(b) || a.owned_by.localeCompare(b.owned_by) || b.created - a.created,
  );
  const groups = Map.groupBy(sorted, (model) => {
    if (!usable(model)) return text.needsKey;
    if (model.kind === 'router') return text.auto;
    return model.simulated ? costsText.testCredits : providerName(model.owned_by);
  });
  return [...groups].map(([value, items]) => ({ value, items: items.map((model) => getChoice(model, providerName)) }));
}

const rank = (model: Model): number => {
  if (!usable(model)) return model.status === 'no_credential' ? 3 : 4;
  if (model.kind === 'router') return 0;
  return model.simulated ? 2 : 1;
};

function getChoice(model: Model, providerName: ProviderName): ModelChoice {
  const { pricing } = model;
  const disabled = !usable(model);
  const router = model.kind === 'router';
  const name = router ? text.auto : model.name;
  return {
    id: model.id,
    name,
    provider: model.provider,
    price: pricing
      ? `${usdPerMillion(pricing.prompt)} / ${usdPerMillion(pricing.completion)}`
      : lacksPrice(model)
        ? modelsText.priceUnknown
        : '',
    abilities: router ? [] : abilities.filter((ability) => isAble(model, ability)),
    note: router ? text.autoNote : disabled ? getWant(model, providerName) : '',
    disabled,
    wantsKey: model.status === 'no_credential' ? providerName(model.provider) : null,
    words: `${name} ${model.id} ${model.owned_by} ${providerName(model.owned_by)}`.toLowerCase(),
  };
}

function getWant({ status, provider, unavailable_reason: reason }: Model, providerName: ProviderName): string {
  if (status === 'no_credential') return text.wantsKey(providerName(provider));
  return reason === null ? '' : quoteGateway(status, reason);
}

/** True if every word of the query occurs in the name, id or maker. */
export const matches = (choice: ModelChoice, query: string): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => choice.words.includes(word));

import type { Model } from '#shared/wire/model.ts';
import { composerText as text } from '../../text/composer-text.ts';
import { costsText } from '../../text/costs-text.ts';
import { saidByGateway } from '../../text/error-text.ts';
import { usdPerMillion } from '../../text/format.ts';
import { providerName } from '../../ui/elements/provider-name.ts';

export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** `$5.00 / $25.00`, per million tokens in and out; empty where no price is known. */
  readonly price: string;
  readonly note: string;
  readonly disabled: boolean;
  readonly words: string;
}

/** A type alias: an interface would not fit the index signature of the combobox’s groups. */
export type ModelGroup = {
  readonly value: string;
  readonly items: readonly ModelChoice[];
};

/** Models by provider; last those that cannot be used yet. */
export function modelGroups(models: readonly Model[]): ModelGroup[] {
  const groups = new Map<string, ModelChoice[]>();
  const usable = (model: Model) => model.status === 'available' || model.status === 'degraded';
  const sorted = [...models].sort((a, b) => rank(a) - rank(b) || a.owned_by.localeCompare(b.owned_by));
  for (const model of sorted) {
    const group = !usable(model)
      ? text.needsKey
      : model.kind === 'router'
        ? text.auto
        : model.simulated
          ? costsText.testCredits
          : providerName(model.owned_by);
    groups.set(group, [...(groups.get(group) ?? []), choiceOf(model, !usable(model))]);
  }
  return [...groups].map(([value, items]) => ({ value, items }));
}

const rank = (model: Model): number => {
  if (model.status !== 'available' && model.status !== 'degraded') return 3;
  return model.kind === 'router' ? 0 : model.simulated ? 2 : 1;
};

function choiceOf(model: Model, disabled: boolean): ModelChoice {
  const { pricing } = model;
  const name = model.kind === 'router' ? text.auto : model.name;
  return {
    id: model.id,
    name,
    provider: model.provider,
    price: pricing ? `${usdPerMillion(pricing.prompt)} / ${usdPerMillion(pricing.completion)}` : '',
    note: model.kind === 'router' ? text.autoNote : disabled ? wantOf(model) : '',
    disabled,
    words: `${name} ${model.id} ${model.owned_by}`.toLowerCase(),
  };
}

function wantOf({ status, provider, unavailable_reason: said }: Model): string {
  if (status === 'no_credential') return text.wantsKey(providerName(provider));
  return said === null ? '' : saidByGateway(status, said);
}

/** Every word of the query occurs in name, id or maker. */
export const matches = (choice: ModelChoice, query: string): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => choice.words.includes(word));

import { parseUsdPerToken } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import { type Ability, isAble } from './abilities.ts';

export type SortColumn = 'name' | 'context' | 'input' | 'output' | 'cached';

export interface ModelFilter {
  readonly query: string;
  readonly providers: ReadonlySet<string>;
  readonly abilities: ReadonlySet<Ability>;
  readonly sort: { readonly column: SortColumn; readonly descending: boolean } | null;
}

export const noFilter: ModelFilter = { query: '', providers: new Set(), abilities: new Set(), sort: null };

/** Matching models in the chosen order, else as the gateway lists them. Models without a price come last. */
export function filterModels(models: readonly Model[], filter: ModelFilter): readonly Model[] {
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(
    (model) =>
      (filter.providers.size === 0 || filter.providers.has(model.provider)) &&
      [...filter.abilities].every((ability) => isAble(model, ability)) &&
      (words.length === 0 || matches(model, words)),
  );
  const { sort } = filter;
  if (!sort) return found;
  if (sort.column === 'name') return found.sort((a, b) => (sort.descending ? -1 : 1) * a.name.localeCompare(b.name));
  return sortByNumber(found, sort.column, sort.descending);
}

function matches(model: Model, words: readonly string[]): boolean {
  const text = `${model.name} ${model.id} ${model.owned_by} ${model.aliases.join(' ')}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function sortByNumber(models: readonly Model[], column: Exclude<SortColumn, 'name'>, descending: boolean): Model[] {
  const keyed = models.map((model) => ({ model, value: numberOf(model, column) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
    return descending ? -order : order;
  });
  return keyed.map(({ model }) => model);
}

function numberOf(model: Model, column: Exclude<SortColumn, 'name'>): bigint | null {
  if (column === 'context') return model.context_length === null ? null : BigInt(model.context_length);
  const { pricing } = model;
  const price =
    column === 'input' ? pricing?.prompt : column === 'output' ? pricing?.completion : pricing?.input_cache_read;
  return price ? parseUsdPerToken(price) : null;
}

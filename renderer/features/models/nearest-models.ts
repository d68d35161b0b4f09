import type { Model } from '#shared/wire/model.ts';
import type { ProviderName } from '../../api/use-provider-name.ts';
import { filterModels, type ModelFilter, noFilter } from './filter-models.ts';

const most = 3;

/**
 * Models to look at where nothing matches: those that fail one part of the filter alone, in the order in which people give the
 * parts up, then those that are named alike.
 */
export function nearestModels<Listed extends Model>(
  models: readonly Listed[],
  filter: ModelFilter,
  providerName: ProviderName,
): Listed[] {
  const looser: ModelFilter[] = [
    { ...filter, fits: null },
    { ...filter, favourites: false },
    { ...filter, maxInput: null },
    { ...filter, minContext: null },
    { ...filter, usable: false },
    { ...filter, abilities: new Set() },
    { ...filter, providers: new Set() },
    { ...filter, query: '' },
    ...filter.query
      .split(/[\s-]+/)
      .filter((word) => word.length > 2)
      .map((word) => ({ ...noFilter, query: word })),
  ];
  for (const each of looser) {
    const found = filterModels(models, each, { providerName });
    const some = found.filter(({ kind }) => kind !== 'router');
    if (some.length > 0 && found.length < models.length) return some.slice(0, most);
  }
  return [];
}

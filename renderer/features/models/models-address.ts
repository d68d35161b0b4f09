import { catalogueLimits } from '#shared/contract/app/catalogue.ts';
import { filterAbilities, type ModelFilter, type SortColumn, sortColumns } from './filter-models.ts';

/** The content of the page's address, such as `#models?q=grok&can=vision,tools&sort=-input&model=xai/grok-4.5`. */
export interface ModelsAddress {
  readonly filter: ModelFilter;
  /** The model whose details are open. */
  readonly model: string | null;
  /** The models chosen for a comparison. */
  readonly picked: readonly string[];
}

/** Parses the part after the question mark. Unknown values are dropped, because an address can be typed or pasted. */
export function readAddress(search: string): ModelsAddress {
  const given = new URLSearchParams(search);
  const listed = (name: string) => (given.get(name) ?? '').split(',').filter(Boolean);
  const amount = given.get('max');
  const context = Number(given.get('context') ?? Number.NaN);
  const sort = given.get('sort') ?? '';
  const column = sortColumns.find((name): name is SortColumn => name === sort.replace(/^-/, ''));
  return {
    filter: {
      query: (given.get('q') ?? '').slice(0, 200),
      providers: new Set(listed('provider').slice(0, 100)),
      abilities: new Set(filterAbilities.filter((ability) => listed('can').includes(ability))),
      maxInput: amount !== null && /^\d{1,6}(\.\d{1,6})?$/.test(amount) ? amount : null,
      minContext: Number.isSafeInteger(context) && context > 0 ? context : null,
      usable: given.get('usable') === '1',
      favourites: given.get('favourites') === '1',
      fits: given.get('fits')?.slice(0, 64) || null,
      sort: column ? { column, descending: sort.startsWith('-') } : null,
    },
    model: given.get('model')?.slice(0, 300) || null,
    picked: [...new Set(listed('pick'))].slice(0, catalogueLimits.compared),
  };
}

/** Writes the address as text. It is empty for the unfiltered list. */
export function writeAddress({ filter, model, picked }: ModelsAddress): string {
  const { sort } = filter;
  const parts: [string, string | null][] = [
    ['q', filter.query],
    ['provider', [...filter.providers].join(',')],
    ['can', [...filter.abilities].join(',')],
    ['max', filter.maxInput],
    ['context', filter.minContext === null ? null : String(filter.minContext)],
    ['usable', filter.usable ? '1' : null],
    ['favourites', filter.favourites ? '1' : null],
    ['fits', filter.fits],
    ['sort', sort && `${sort.descending ? '-' : ''}${sort.column}`],
    ['model', model],
    ['pick', picked.join(',')],
  ];
  return new URLSearchParams(parts.flatMap(([name, value]) => (value ? [[name, value]] : []))).toString();
}

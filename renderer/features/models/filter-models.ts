import { parseUsdPerToken } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import type { ProviderName } from '../../api/use-provider-name.ts';
import { locale } from '../../text/language.ts';
import { type Ability, abilities, isAble } from './abilities.ts';

export const sortColumns = ['name', 'can', 'context', 'input', 'output', 'cached', 'status'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** The abilities to filter by, including answers that follow a JSON schema. */
export const filterAbilities = [...abilities, 'json_schema'] as const;
export type FilterAbility = Ability | 'json_schema';

export interface ModelFilter {
  readonly query: string;
  readonly providers: ReadonlySet<string>;
  readonly abilities: ReadonlySet<FilterAbility>;
  /** The maximum input price in USD per million tokens, as a decimal string. */
  readonly maxInput: string | null;
  /** In tokens. */
  readonly minContext: number | null;
  /** Only models that can be used now. */
  readonly usable: boolean;
  readonly favourites: boolean;
  /** The id of the chat that the models must be able to continue. */
  readonly fits: string | null;
  readonly sort: { readonly column: SortColumn; readonly descending: boolean } | null;
}

export const noFilter: ModelFilter = {
  query: '',
  providers: new Set(),
  abilities: new Set(),
  maxInput: null,
  minContext: null,
  usable: false,
  favourites: false,
  fits: null,
  sort: null,
};

/** Counts the parts of the filter that are set. */
export const narrowedBy = (filter: ModelFilter): number =>
  Number(filter.query.trim() !== '') +
  filter.providers.size +
  filter.abilities.size +
  Number(filter.maxInput !== null) +
  Number(filter.minContext !== null) +
  Number(filter.usable) +
  Number(filter.favourites) +
  Number(filter.fits !== null);

/** What a model needs to continue a chat. */
export interface ChatNeeds {
  readonly tokens: number;
  readonly abilities: readonly string[];
}

interface Beside {
  readonly providerName: ProviderName;
  readonly favourites?: readonly string[];
  /** The needs of the chat that `fits` names. Null while they are unknown. */
  readonly chat?: ChatNeeds | null;
}

export const isUsable = ({ status }: Model): boolean => status === 'available' || status === 'degraded';

/** True if only the price is known, because the provider has no key and so lists nothing else. */
export const isUnlisted = ({ status, supported_parameters }: Model): boolean =>
  status === 'no_credential' && supported_parameters.length === 0;

/**
 * Returns the matching models in the chosen order, or else in the gateway's. Models without a value come last in either
 * direction.
 */
export function filterModels<Listed extends Model>(
  models: readonly Listed[],
  filter: ModelFilter,
  { providerName, favourites = [], chat = null }: Beside,
): Listed[] {
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = [...filter.abilities];
  const most = filter.maxInput === null ? null : pricePerToken(filter.maxInput);
  const starred = new Set(favourites);
  const found = models.filter((model) => {
    const { text, input } = getFacts(model);
    return (
      (filter.providers.size === 0 || filter.providers.has(model.provider)) &&
      (!filter.usable || isUsable(model)) &&
      (!filter.favourites || starred.has(model.id)) &&
      (most === null || (input !== null && input <= most)) &&
      (filter.minContext === null || (model.context_length ?? 0) >= filter.minContext) &&
      wanted.every((ability) => can(model, ability)) &&
      (filter.fits === null || chat === null || fitsChat(model, chat)) &&
      words.every((word) => text.includes(word) || providerName(model.owned_by).toLowerCase().includes(word))
    );
  });
  return filter.sort ? sorted(found, filter.sort.column, filter.sort.descending) : found;
}

const can = (model: Model, ability: FilterAbility): boolean =>
  ability === 'json_schema' ? model.capabilities.includes(ability) : isAble(model, ability);

function fitsChat(model: Model, { tokens, abilities: needs }: ChatNeeds): boolean {
  return (
    (model.context_length === null || model.context_length >= tokens) &&
    needs.every((need) => (need === 'tools' ? model.capabilities.includes('tools') : can(model, need as Ability)))
  );
}

/** Converts USD per million tokens to the price of one token, in the units of `parseUsdPerToken`. */
const pricePerToken = (perMillion: string): bigint => {
  const [whole = '0', fraction = ''] = perMillion.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0').slice(0, 6)}`);
};

interface Facts {
  readonly text: string;
  readonly can: number;
  readonly context: number | null;
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cached: bigint | null;
}

const known = new WeakMap<Model, Facts>();

/** Computes the facts of a model once, so that a keystroke only compares them across thousands of models. */
function getFacts(model: Model): Facts {
  const found = known.get(model);
  if (found) return found;
  const { pricing } = model;
  const price = (text: string | null | undefined) => (text ? parseUsdPerToken(text) : null);
  const facts = {
    text: `${model.name} ${model.id} ${model.owned_by} ${model.aliases.join(' ')}`.toLowerCase(),
    can: filterAbilities.filter((ability) => can(model, ability)).length,
    context: model.context_length,
    input: price(pricing?.prompt),
    output: price(pricing?.completion),
    cached: price(pricing?.input_cache_read),
  };
  known.set(model, facts);
  return facts;
}

const names = new Intl.Collator(locale, { numeric: true });
const statuses: readonly Model['status'][] = ['available', 'degraded', 'no_credential', 'plan_required', 'disabled'];

function sorted<Listed extends Model>(models: Listed[], column: SortColumn, descending: boolean): Listed[] {
  const way = descending ? -1 : 1;
  if (column === 'name') return models.sort((a, b) => way * names.compare(a.name, b.name));
  if (column === 'status') {
    return models.sort((a, b) => way * (statuses.indexOf(a.status) - statuses.indexOf(b.status)));
  }
  return models.sort((a, b) => {
    const [left, right] = [getFacts(a)[column], getFacts(b)[column]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -way : left > right ? way : 0;
  });
}

import { type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';
import type { CatalogueModel } from './catalogue.ts';

/**
 * What OpenAI charges for its other service tiers and its regional addresses, as a share of the model's price. A tier
 * without a share here is never requested, because nobody would know what it costs.
 */
type Share = readonly [numerator: bigint, denominator: bigint];
const whole: Share = [1n, 1n];

/**
 * Input, cached input and output have the same share of the standard price. It was read in stored copies of
 * openai.com/api-priority-processing, seen 2026-11-27, which list dollars; the shares are computed with the book's
 * prices. Long prompts aren't served in this tier.
 */
const priorityShares: Readonly<Record<string, Share>> = {
  'openai/gpt-5.5': [5n, 2n],
  'openai/gpt-5.4': [2n, 1n],
  'openai/gpt-5.4-mini': [2n, 1n],
  'openai/gpt-5.2': [2n, 1n],
  'openai/gpt-5.1': [2n, 1n],
  'openai/gpt-5': [2n, 1n],
  'openai/gpt-5-mini': [9n, 5n],
  'openai/gpt-4.1': [7n, 4n],
  'openai/gpt-4.1-mini': [7n, 4n],
  'openai/gpt-4.1-nano': [2n, 1n],
  'openai/gpt-4o': [17n, 10n],
  'openai/gpt-4o-mini': [5n, 3n],
};

/**
 * Models that cost half the standard price in this tier. A stored copy of
 * developers.openai.com/api/docs/guides/flex-processing.md, seen 2026-11-27, only has "priced at Batch API rates" and
 * refers to the pricing page, of which no copy was seen. The models, and the half price, come from third parties.
 */
const flexModels: ReadonlySet<string> = new Set([
  // These are from LiteLLM's model_prices_and_context_window.json, at commit 00035b69.
  ...['openai/gpt-5.5', 'openai/gpt-5.4', 'openai/gpt-5.4-mini', 'openai/gpt-5.4-nano', 'openai/gpt-5'],
  // These are from an undated copy of the pricing page's tables in a public repository, of the time of GPT-5.1.
  ...['openai/gpt-5.1', 'openai/gpt-5-mini', 'openai/gpt-5-nano', 'openai/o3', 'openai/o4-mini'],
  // This is from an undated table in another repository, of the time of GPT-5.5.
  'openai/gpt-5.2',
]);
const flexShare: Share = [1n, 2n];

/**
 * OpenAI's rule: "Data residency endpoints are charged a 10% uplift for models released on or after March 5, 2026, that
 * are eligible for data residency" (a stored copy of developers.openai.com/api/docs/guides/data-residency, seen
 * 2026-11-27). It names us., eu., au., in. and jp.api.openai.com. The list of eligible models was not seen, so all
 * models count as eligible and no hold is too low.
 */
const regionalHost = /^[a-z]{2}\.api\.openai\.com$/;
const regionalShare: Share = [11n, 10n];
const regionalSince = '2026-03-05';
/**
 * Decides for models without a release date in the catalogue. We read the rule as GPT-5.4 and every higher number:
 * LiteLLM's list has a snapshot gpt-5.4-2026-03-05, and this uplift from GPT-5.4 on.
 */
const regionalByName = /^openai\/gpt-(?:5\.[4-9]|[6-9])/;

function costsMoreInRegions(model: CatalogueModel): boolean {
  const released = model.facts?.released ?? null;
  return released === null ? regionalByName.test(factsId(model)) : released >= regionalSince;
}

/** Names of tiers that cost the standard price. */
const standardTiers: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'on_demand']);

const factsId = ({ facts, provider, model }: CatalogueModel) => facts?.id ?? `${provider}/${model}`;
const isOpenAi = (model: CatalogueModel) => factsId(model).startsWith('openai/');

function shareOfTier(model: CatalogueModel, tier: string): Share | null {
  const id = factsId(model);
  if (standardTiers.has(tier)) return whole;
  if (tier === 'priority') return priorityShares[id] ?? null;
  return tier === 'flex' && flexModels.has(id) ? flexShare : null;
}

/**
 * True if the price of this model in this tier is known, so the tier may be requested. The tiers of other vendors
 * aren't known here.
 */
export const hasTierPrice = (model: CatalogueModel, tier: string): boolean => shareOfTier(model, tier) !== null;

interface Variant {
  readonly standard: CatalogueModel;
  /** The share for the address at which the model is called. */
  readonly region: Share;
}

const variants = new WeakMap<CatalogueModel, Map<string, CatalogueModel>>();
const origins = new WeakMap<CatalogueModel, Variant>();

/**
 * Returns the model with its price for this tier at this address, for the hold and the cost. Returns the same model if
 * that's the standard price. The hold for a cheaper tier uses the standard price, because the provider may serve
 * another tier than the requested one.
 */
export function pricedFor(model: CatalogueModel, tier: string | undefined, baseUrl: string): CatalogueModel {
  if (model.price === null || !isOpenAi(model)) return model;
  const isRegional = regionalHost.test(getHost(baseUrl)) && costsMoreInRegions(model);
  const region = isRegional ? regionalShare : whole;
  const tierShare = (tier === undefined ? null : shareOfTier(model, tier)) ?? whole;
  const share = isAbove(tierShare, whole) ? times(tierShare, region) : region;
  if (share[0] === share[1]) return model;
  const known = variants.get(model) ?? new Map<string, CatalogueModel>();
  variants.set(model, known);
  const name = share.join('/');
  const made = known.get(name) ?? { ...model, price: scaled(model.price, share) };
  known.set(name, made);
  origins.set(made, { standard: model, region });
  return made;
}

/**
 * Returns the price of the tier that was served, and whether it's known. Without a tier, it's the price that the hold
 * was based on.
 */
export function priceAsServed(
  model: CatalogueModel,
  tier: string | undefined,
): { readonly price: Price | null; readonly isKnown: boolean } {
  const { standard, region } = origins.get(model) ?? { standard: model, region: whole };
  if (tier === undefined || standard.price === null || !isOpenAi(standard))
    return { price: model.price, isKnown: true };
  const share = shareOfTier(standard, tier);
  if (share === null) return { price: model.price, isKnown: false };
  const all = times(share, region);
  return { price: all[0] === all[1] ? standard.price : scaled(standard.price, all), isKnown: true };
}

const scaledPrices = new WeakMap<Price, Map<string, Price>>();

/**
 * Multiplies each rate by the share, rounded up to the pico-dollar. Fees for searches and requests are the same in each
 * tier.
 */
function scaled(price: Price, share: Share): Price {
  const known = scaledPrices.get(price) ?? new Map<string, Price>();
  scaledPrices.set(price, known);
  const name = share.join('/');
  const made = known.get(name) ?? {
    ...price,
    ...scaledRates(price, share),
    tiers: price.tiers.map((tier) => ({ ...tier, ...scaledRates(tier, share) })),
  };
  known.set(name, made);
  return made;
}

function scaledRates(rates: Rates, [numerator, denominator]: Share): Rates {
  const by = (rate: PicoUsd): PicoUsd => picoUsd((rate * numerator + denominator - 1n) / denominator);
  const maybe = (rate: PicoUsd | null | undefined) => (rate == null ? rate : by(rate));
  const { prompt, completion, cacheRead, cacheWrite, cacheWriteHour, reasoning, inputAudio, outputImage } = rates;
  return {
    prompt: by(prompt),
    completion: by(completion),
    cacheRead: maybe(cacheRead) ?? null,
    cacheWrite: maybe(cacheWrite) ?? null,
    ...(cacheWriteHour == null ? {} : { cacheWriteHour: by(cacheWriteHour) }),
    ...(reasoning == null ? {} : { reasoning: by(reasoning) }),
    ...(inputAudio == null ? {} : { inputAudio: by(inputAudio) }),
    ...(outputImage == null ? {} : { outputImage: by(outputImage) }),
  };
}

const times = ([a, b]: Share, [c, d]: Share): Share => [a * c, b * d];
const isAbove = ([a, b]: Share, [c, d]: Share): boolean => a * d > c * b;
const getHost = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '');

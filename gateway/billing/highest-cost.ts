import { type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Rates } from '#shared/price.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';

/** How much a request may use, and of what kinds. */
export interface Extent {
  readonly inputTokens: number;
  readonly audio: boolean;
  /** How long what the request marks is to stay in the provider's prompt cache; null where it marks nothing. */
  readonly promptCache: '5m' | '1h' | null;
  readonly outputTokens: number;
}

/**
 * The most that a model's price can make of a request which stays within its extent, before rounding: each token at the
 * dearest rate that may apply to it, in the dearest tier that the input reaches (wire contract §2.7). Null where no price
 * is known.
 */
export function highestCost(model: CatalogueModel, extent: Extent): PicoUsd | null {
  const { price } = model;
  if (!price) return null;
  const reached: readonly Rates[] = [price, ...price.tiers.filter((tier) => tier.minPromptTokens < extent.inputTokens)];
  const sums = reached.map(
    (rates) =>
      BigInt(extent.inputTokens) * inputRate(rates, model, extent) + BigInt(extent.outputTokens) * outputRate(rates),
  );
  return picoUsd(most(...sums) + price.request);
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other);
const most = (...amounts: readonly bigint[]): bigint => amounts.reduce(larger, 0n);

const outputRate = ({ completion, reasoning }: Rates): bigint => most(completion, reasoning ?? 0n);

function inputRate(rates: Rates, model: CatalogueModel, { audio, promptCache }: Extent): bigint {
  const { prompt, cacheRead, cacheWrite, cacheWriteHour, inputAudio } = rates;
  return most(
    prompt,
    cacheRead ?? 0n,
    audio ? (inputAudio ?? 0n) : 0n,
    promptCache !== null || writesUnasked(model) ? (cacheWrite ?? 0n) : 0n,
    promptCache === '1h' ? (cacheWriteHour ?? 2n * prompt) : 0n,
  );
}

/** Anthropic writes to its cache what a request marks; others that ask money for writing decide by themselves. */
const writesUnasked = ({ provider }: CatalogueModel) => provider !== 'anthropic';

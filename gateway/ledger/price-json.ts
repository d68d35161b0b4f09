import { formatUsdPerToken } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';

/** Prices in the wire's spelling (wire contract §2.1): decimal strings in USD per token. */
export const priceToJson = (price: Price) => ({
  currency: 'USD' as const,
  unit: 'token' as const,
  ...ratesToJson(price),
  request: formatUsdPerToken(price.request),
  image: null,
  tiers: price.tiers.map((tier) => ({ min_prompt_tokens: tier.minPromptTokens, ...ratesToJson(tier) })),
});

const known = new WeakMap<Price, string>();

/** The same as text. Prices live as long as the catalogue, so that each is spelled once. */
export function priceText(price: Price): string {
  const text = known.get(price) ?? JSON.stringify(priceToJson(price));
  known.set(price, text);
  return text;
}

const ratesToJson = (rates: Rates) => ({
  prompt: formatUsdPerToken(rates.prompt),
  completion: formatUsdPerToken(rates.completion),
  input_cache_read: rates.cacheRead === null ? null : formatUsdPerToken(rates.cacheRead),
  input_cache_write: rates.cacheWrite === null ? null : formatUsdPerToken(rates.cacheWrite),
});

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
  ...(price.asOf === undefined ? {} : { as_of: price.asOf }),
  ...(price.source === undefined ? {} : { source: price.source }),
});

const ratesToJson = (rates: Rates) => ({
  prompt: formatUsdPerToken(rates.prompt),
  completion: formatUsdPerToken(rates.completion),
  input_cache_read: rates.cacheRead === null ? null : formatUsdPerToken(rates.cacheRead),
  input_cache_write: rates.cacheWrite === null ? null : formatUsdPerToken(rates.cacheWrite),
  ...(rates.reasoning == null ? {} : { reasoning: formatUsdPerToken(rates.reasoning) }),
  ...(rates.inputAudio == null ? {} : { input_audio: formatUsdPerToken(rates.inputAudio) }),
});

import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { Quote as GatewayQuote } from '#shared/wire/quote.ts';
import { maxCost, minCost } from './expected-cost.ts';

/** With the person's own key the gateway quotes its fee alone; the provider sends its own bill, which the list price foretells. */
export function ownKeyCost(
  { cost_usd: fee }: Pick<GatewayQuote, 'cost_usd'>,
  price: Price | null,
  tokens: Parameters<typeof maxCost>[1],
): Quote['costUsd'] {
  if (price === null) return null;
  const withFee = (providerCost: bigint, feeUsd: string) => formatUsd(nanoUsd(providerCost + parseUsd(feeUsd)));
  return { low: withFee(minCost(price, tokens), fee.low), high: withFee(maxCost(price, tokens), fee.high) };
}

import { billLines } from '#shared/bill-lines.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price, ratesFor } from '#shared/price.ts';

type Tokens = Pick<Quote, 'promptTokens' | 'completionTokens'>;

/** The lower bound: the shortest prompt, cached where that is cheaper, and no answer. */
export function leastCost(price: Price, { promptTokens }: Pick<Tokens, 'promptTokens'>): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, promptTokens.low);
  const cachedTokens = cacheRead !== null && cacheRead < plain ? promptTokens.low : 0;
  return costOf(price, { ...noTokens, promptTokens: promptTokens.low, cachedTokens });
}

/** The upper bound: the longest prompt, uncached, and the longest answer. */
export const mostCost = (price: Price, tokens: Tokens): NanoUsd => costOf(price, dearest(tokens));

/** The parts of the upper bound, which add up to it. */
export const partsOf = (price: Price, tokens: Tokens, upper: NanoUsd): Quote['parts'] =>
  billLines(price, dearest(tokens), upper).lines;

const dearest = ({ promptTokens, completionTokens }: Tokens) => ({
  ...noTokens,
  promptTokens: promptTokens.high,
  completionTokens: completionTokens.high,
});

interface Usual {
  readonly price: Price;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Completion tokens of this chat’s last replies. */
  readonly replies: readonly number[];
}

/** The cost of a reply of median length for this chat; null without replies. */
export function usualCost({ price, promptTokens, cachedTokens, replies }: Usual): Quote['usual'] {
  if (replies.length === 0) return null;
  const completionTokens = [...replies].sort((a, b) => a - b)[Math.floor(replies.length / 2)] ?? 0;
  const usd = formatUsd(costOf(price, { ...noTokens, promptTokens, cachedTokens, completionTokens }));
  return { replies: replies.length, completionTokens, usd };
}

import { billLines } from '#shared/bill-lines.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price, ratesFor } from '#shared/price.ts';

type Tokens = Pick<Quote, 'promptTokens' | 'completionTokens'>;

/** The shortest prompt, from the cache where that is cheaper, and no answer: nothing can cost less. */
export function leastCost(price: Price, { promptTokens }: Pick<Tokens, 'promptTokens'>): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, promptTokens.low);
  const cachedTokens = cacheRead !== null && cacheRead < plain ? promptTokens.low : 0;
  return costOf(price, { ...noTokens, promptTokens: promptTokens.low, cachedTokens });
}

/** The longest prompt, nothing of it cached, and the longest answer. */
export const mostCost = (price: Price, tokens: Tokens): NanoUsd => costOf(price, dearest(tokens));

/** The upper end in its parts; they add up to it. */
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
  /** Lengths of this chat's last replies, in tokens. */
  readonly replies: readonly number[];
}

/** What a reply as long as the usual one of this chat (the median) would cost; null where there is none yet. */
export function usualCost({ price, promptTokens, cachedTokens, replies }: Usual): Quote['usual'] {
  if (replies.length === 0) return null;
  const completionTokens = [...replies].sort((a, b) => a - b)[Math.floor(replies.length / 2)] ?? 0;
  const usd = formatUsd(costOf(price, { ...noTokens, promptTokens, cachedTokens, completionTokens }));
  return { replies: replies.length, completionTokens, usd };
}

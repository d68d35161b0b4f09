import { billLines } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price, ratesFor } from '#shared/price.ts';

type Tokens = Pick<Quote, 'promptTokens' | 'completionTokens' | 'searches'>;

/** The lower bound: the shortest prompt, cached where that is cheaper, and no answer. */
export function leastCost(price: Price, { promptTokens }: Pick<Tokens, 'promptTokens'>): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, promptTokens.low);
  const cachedTokens = cacheRead !== null && cacheRead < plain ? promptTokens.low : 0;
  return costOf(price, { ...noTokens, promptTokens: promptTokens.low, cachedTokens });
}

/** The upper bound: the longest prompt, uncached, and the longest answer. */
export const mostCost = (price: Price, tokens: Tokens): NanoUsd => costOf(price, dearest(price, tokens));

/** The parts of the upper bound, which add up to it. */
export const partsOf = (price: Price, tokens: Tokens, upper: NanoUsd): Quote['parts'] =>
  billLines(price, dearest(price, tokens), upper).lines;

/** All of the answer is images where they are dearer than words. */
const dearest = ({ completion, outputImage }: Price, { promptTokens, completionTokens, searches }: Tokens) => ({
  ...noTokens,
  ...(outputImage != null && outputImage > completion ? { imageTokens: completionTokens.high } : {}),
  promptTokens: promptTokens.high,
  completionTokens: completionTokens.high,
  searches,
});

/** An earlier answer, as far as it tells how long the next one may be. */
export interface EarlierAnswer {
  readonly completionTokens: number;
  /** The part of them that was images. */
  readonly imageTokens?: number;
  readonly here: boolean;
}

interface Expectation {
  readonly price: Price;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly searches?: number;
  /** Oldest first. */
  readonly answers: readonly EarlierAnswer[];
}

/** An answer counts this much of the one that came after it. */
const fading = 0.93;
/** Of an answer of this chat. */
const weightElsewhere = 0.1;
/** An expectation is right if the bill is this near to it. */
const nearPercent = 30n;

/**
 * What the next answer will probably cost: of the costs that answers as long as earlier ones would have, the one that is near to
 * most of them, those of this chat and the latest first. A median would be near to fewer where lengths differ much. Null
 * without answers.
 */
export function expectedCost({
  price,
  promptTokens,
  cachedTokens,
  searches = 0,
  answers,
}: Expectation): Quote['expected'] {
  const costs = answers.map((answer, at) => ({
    usd: costWith(answer),
    weight: fading ** (answers.length - 1 - at) * (answer.here ? 1 : weightElsewhere),
  }));
  const nearTo = (usd: NanoUsd) => costs.filter((cost) => isNear(usd, cost.usd));
  let best: { readonly completionTokens: number; readonly usd: NanoUsd; readonly weight: number } | null = null;
  for (const length of lengthsAround(answers)) {
    const usd = costWith(length);
    const weight = nearTo(usd).reduce((sum, cost) => sum + cost.weight, 0);
    if (!best || weight > best.weight) best = { completionTokens: length.completionTokens, usd, weight };
  }
  if (!best) return null;
  const here = answers.filter((answer) => answer.here).length;
  return {
    usd: formatUsd(best.usd),
    completionTokens: best.completionTokens,
    answers: { here, elsewhere: answers.length - here },
    near: nearTo(best.usd).length,
  };

  function costWith({ completionTokens, imageTokens = 0 }: Length): NanoUsd {
    return costOf(price, { ...noTokens, promptTokens, cachedTokens, completionTokens, imageTokens, searches });
  }
}

type Length = Omit<EarlierAnswer, 'here'>;

/** Lengths that were seen, and some with a few words less and more: the best one lies between two that were. */
const lengthsAround = (answers: readonly EarlierAnswer[]): Length[] =>
  answers.flatMap(({ completionTokens, imageTokens = 0 }) =>
    [1, 1.15, 0.85, 1.3, 0.77].map((by) => ({
      completionTokens: Math.round((completionTokens - imageTokens) * by) + imageTokens,
      imageTokens,
    })),
  );

const isNear = (expected: NanoUsd, billed: NanoUsd): boolean => {
  const off = expected > billed ? expected - billed : billed - expected;
  return off * 100n <= billed * nearPercent;
};

/**
 * Tokens of the next prompt, from what the last answer's bill counted: that prompt, the answer and the new question. Better than any
 * count of ours, but only where all of the chat is sent, to the model that answered last.
 */
export const promptAfter = (last: NonNullable<Message['usage']>, questionTokens: number): number =>
  last.promptTokens + last.completionTokens - last.reasoningTokens + questionTokens;

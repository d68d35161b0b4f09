import { billLines } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { createAnswerPricer, getCost, noTokens, type Price, ratesFor } from '#shared/price.ts';

type Tokens = Pick<Quote, 'promptTokens' | 'completionTokens' | 'searches'>;

/** Returns the lower bound: the shortest prompt, cached if that is cheaper, and an empty answer. */
export function minCost(price: Price, { promptTokens }: Pick<Tokens, 'promptTokens'>): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, promptTokens.low);
  const cachedTokens = cacheRead !== null && cacheRead < plain ? promptTokens.low : 0;
  return getCost(price, { ...noTokens, promptTokens: promptTokens.low, cachedTokens });
}

/** Returns the upper bound: the longest prompt, uncached, and the longest answer. */
export const maxCost = (price: Price, tokens: Tokens): NanoUsd => getCost(price, getMostExpensiveUsage(price, tokens));

/** Returns the parts of the upper bound. They add up to it. */
export const getParts = (price: Price, tokens: Tokens, upper: NanoUsd): Quote['parts'] =>
  billLines(price, getMostExpensiveUsage(price, tokens), upper).lines;

/** Returns the most expensive usage. The whole answer counts as images if these cost more than text. */
const getMostExpensiveUsage = (
  { completion, outputImage }: Price,
  { promptTokens, completionTokens, searches }: Tokens,
) => ({
  ...noTokens,
  ...(outputImage != null && outputImage > completion ? { imageTokens: completionTokens.high } : {}),
  promptTokens: promptTokens.high,
  completionTokens: completionTokens.high,
  searches,
});

/** The facts of an earlier answer that help to predict the length of the next one. */
export interface EarlierAnswer {
  readonly completionTokens: number;
  /** How many of the completion tokens were for images. */
  readonly imageTokens?: number;
  readonly here: boolean;
  /** The beginning of its question. `questionLength` is the length of the whole question in characters. */
  readonly question: string;
  readonly questionLength: number;
}

interface Expectation {
  readonly price: Price;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly searches?: number;
  readonly question: string;
  /** Oldest first. */
  readonly answers: readonly EarlierAnswer[];
}

/** Each answer has this share of the weight of the answer after it, so recent answers count more. */
const weightDecay = 0.99;
/** The weight of an answer whose question has nothing in common with this one. */
const minWeight = 0.03;
/**
 * Each trait starts with this many imaginary answers of ordinary variance, so that a trait that occurs once or twice
 * proves little.
 */
const priorSamples = 2;
/** Only this many earlier answers count, those with the most weight. */
const maxWeighed = 40;
/** An answer's length is scaled up or down by at most this factor. */
const maxScaled = 30;
/**
 * Only this many characters of a question are compared. The request is usually at the beginning, and pasted text
 * follows.
 */
export const openingLength = 120;
/** An expected cost counts as near a cost if they differ by at most this much. */
const nearPercent = 30n;

/**
 * Predicts the cost of the next answer. Each earlier length is a candidate, and the winner is the cost with the most
 * weight of earlier answers near it. Answers to similar questions weigh most, then those of this chat and recent ones.
 * A median would be near fewer answers when lengths vary a lot. Null without answers.
 */
export function expectedCost({
  price,
  promptTokens,
  cachedTokens,
  searches = 0,
  question,
  answers,
}: Expectation): Quote['expected'] {
  const weighed = weighedAnswers(question, answers)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, maxWeighed);
  const priceAnswer = createAnswerPricer(price, { ...noTokens, promptTokens, cachedTokens, searches });
  const costs = weighed.map(({ completionTokens, imageTokens = 0, weight }) => ({
    usd: priceAnswer(completionTokens, imageTokens),
    weight,
  }));
  let best: { completionTokens: number; usd: NanoUsd; weight: number; near: number } | null = null;
  for (const { completionTokens, imageTokens = 0 } of lengthsAround(weighed)) {
    const usd = priceAnswer(completionTokens, imageTokens);
    let [weight, near] = [0, 0];
    for (const cost of costs) {
      const difference = usd > cost.usd ? usd - cost.usd : cost.usd - usd;
      if (difference * 100n > cost.usd * nearPercent) continue;
      weight += cost.weight;
      near += 1;
    }
    if (!best || weight > best.weight) best = { completionTokens, usd, weight, near };
  }
  if (!best) return null;
  const here = weighed.filter((answer) => answer.here).length;
  return {
    usd: formatUsd(best.usd),
    completionTokens: best.completionTokens,
    answers: { here, elsewhere: weighed.length - here },
    near: best.near,
  };
}

type Length = Pick<EarlierAnswer, 'completionTokens' | 'imageTokens'>;
type Weighed = Length & Pick<EarlierAnswer, 'here'> & { readonly weight: number };

/**
 * Returns the earlier answers with their weights. Answers to similar questions have either similar lengths, or lengths
 * in proportion to the question, such as translations. Lengths are scaled by the question's length if that makes them
 * vary less.
 */
function weighedAnswers(question: string, answers: readonly EarlierAnswer[]): Weighed[] {
  const traits = getTraits({ question, questionLength: question.length, here: true });
  const samples = answers.map((answer, index) => {
    const ratio = (question.length + 1) / (answer.questionLength + 1);
    const bounded = Math.min(maxScaled, Math.max(1 / maxScaled, ratio));
    const { completionTokens, imageTokens = 0 } = answer;
    return {
      ...answer,
      traits: getTraits(answer),
      weight: weightDecay ** (answers.length - 1 - index),
      value: Math.log(completionTokens + 1),
      // A longer question doesn't mean more images.
      scaled: Math.round((completionTokens - imageTokens) * bounded) + imageTokens,
    };
  });
  const plain = weighByTraits(traits, samples);
  const scaled = weighByTraits(
    traits,
    samples.map((sample) => ({ ...sample, value: Math.log(sample.scaled + 1) })),
  );
  const isScaled = scaled.variance < plain.variance;
  return samples.map((sample, index) => ({
    completionTokens: isScaled ? sample.scaled : sample.completionTokens,
    imageTokens: sample.imageTokens ?? 0,
    here: sample.here,
    weight: (isScaled ? scaled : plain).weights[index] ?? 0,
  }));
}

interface Sample {
  readonly traits: ReadonlySet<string>;
  readonly value: number;
  readonly weight: number;
}

/**
 * Weights samples by the traits that they share with the question. A trait counts more the less the lengths vary among
 * the samples that have it.
 */
function weighByTraits(
  traits: ReadonlySet<string>,
  samples: readonly Sample[],
): { weights: number[]; variance: number } {
  const totalVariance = calculateVariance(samples);
  const traitWeights = new Map<string, number>();
  for (const trait of traits) {
    const withTrait = samples.filter((sample) => sample.traits.has(trait));
    if (withTrait.length === 0) continue;
    const variance =
      (withTrait.length * calculateVariance(withTrait) + priorSamples * totalVariance) /
      (withTrait.length + priorSamples);
    traitWeights.set(trait, Math.max(0, Math.log((totalVariance + minVariance) / (variance + minVariance))));
  }
  const weights = samples.map((sample) => {
    const common = [...traitWeights].reduce((sum, [trait, by]) => sum + (sample.traits.has(trait) ? by : 0), 0);
    return sample.weight * (minWeight + common ** 2);
  });
  return {
    weights,
    variance: calculateVariance(samples.map((sample, index) => ({ ...sample, weight: weights[index] ?? 0 }))),
  };
}

/** This variance corresponds to a difference of 3 %. Smaller differences between lengths don't count. */
const minVariance = 0.001;

/**
 * Returns the traits of a question: the words of its first line, its approximate length, and whether it is in this
 * chat.
 */
function getTraits({
  question,
  questionLength,
  here,
}: Pick<EarlierAnswer, 'question' | 'questionLength' | 'here'>): ReadonlySet<string> {
  const [opening = ''] = question.slice(0, openingLength).split('\n');
  const words = opening.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  return new Set([...words, `#${Math.round(Math.log(questionLength + 1))}`, ...(here ? ['#here'] : [])]);
}

function calculateVariance(samples: readonly { readonly value: number; readonly weight: number }[]): number {
  const sum = samples.reduce((all, { weight }) => all + weight, 0);
  const mean = samples.reduce((all, { value, weight }) => all + value * weight, 0) / sum;
  return samples.reduce((all, { value, weight }) => all + (value - mean) ** 2 * weight, 0) / sum;
}

/**
 * Returns the earlier lengths and some slightly shorter and longer ones, because the best candidate may lie between two
 * earlier lengths.
 */
const lengthsAround = (answers: readonly Length[]): Length[] =>
  answers.flatMap(({ completionTokens, imageTokens = 0 }) =>
    [1, 1.15, 0.85, 1.3, 0.77].map((by) => ({
      completionTokens: Math.round((completionTokens - imageTokens) * by) + imageTokens,
      imageTokens,
    })),
  );

/**
 * Returns the tokens of the next prompt: the last prompt and answer as the provider counted them, and the new question.
 * This is better than our own count, but true only if the whole chat is sent to the model that answered last.
 */
export const promptAfter = (last: NonNullable<Message['usage']>, questionTokens: number): number =>
  last.promptTokens + last.completionTokens - last.reasoningTokens + questionTokens;

import { billLines } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import { createAnswerPricer, getCost, noTokens, type Price, ratesFor } from '#shared/price.ts';

type Tokens = Pick<Quote, 'promptTokens' | 'completionTokens' | 'searches'>;

/** The lower bound: the shortest prompt, cached where that is cheaper, and no answer. */
export function minCost(price: Price, { promptTokens }: Pick<Tokens, 'promptTokens'>): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, promptTokens.low);
  const cachedTokens = cacheRead !== null && cacheRead < plain ? promptTokens.low : 0;
  return getCost(price, { ...noTokens, promptTokens: promptTokens.low, cachedTokens });
}

/** The upper bound: the longest prompt, uncached, and the longest answer. */
export const maxCost = (price: Price, tokens: Tokens): NanoUsd => getCost(price, dearest(price, tokens));

/** The parts of the upper bound, which add up to it. */
export const getParts = (price: Price, tokens: Tokens, upper: NanoUsd): Quote['parts'] =>
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
  /** How its question began, and how long it was, in characters. */
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

/** An answer counts this much of the one that came after it. */
const fading = 0.99;
/** Of an answer that has nothing in common with the question. */
const weightUnlike = 0.03;
/** As if a trait had been seen so often with any length before it tells something. */
const doubt = 2;
/** Of all earlier answers those that tell most. */
const maxWeighed = 40;
/** An answer is scaled up or down at most by this. */
const maxScaled = 30;
/** Characters of a question that tell what is asked for; what is pasted below them does not. */
export const openingLength = 120;
/** An expectation is right if the bill is this near to it. */
const nearPercent = 30n;

/**
 * What the next answer will probably cost: of the costs that answers as long as earlier ones would have, the one that is near to
 * most of them, first of all those to questions that began alike, then those of this chat and the latest. A median would be near
 * to fewer where lengths differ much. Null without answers.
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
 * The earlier answers with their weights. Answers to questions like this one are either about equally long, or as long as what was
 * asked about, such as translations: their lengths are scaled where that has varied less.
 */
function weighedAnswers(question: string, answers: readonly EarlierAnswer[]): Weighed[] {
  const traits = getTraits({ question, questionLength: question.length, here: true });
  const samples = answers.map((answer, at) => {
    const ratio = (question.length + 1) / (answer.questionLength + 1);
    const bounded = Math.min(maxScaled, Math.max(1 / maxScaled, ratio));
    const { completionTokens, imageTokens = 0 } = answer;
    return {
      ...answer,
      traits: getTraits(answer),
      weight: fading ** (answers.length - 1 - at),
      value: Math.log(completionTokens + 1),
      // Images do not grow with the question.
      scaled: Math.round((completionTokens - imageTokens) * bounded) + imageTokens,
    };
  });
  const plain = alike(traits, samples);
  const scaled = alike(
    traits,
    samples.map((sample) => ({ ...sample, value: Math.log(sample.scaled + 1) })),
  );
  const scales = scaled.variance < plain.variance;
  return samples.map((sample, at) => ({
    completionTokens: scales ? sample.scaled : sample.completionTokens,
    imageTokens: sample.imageTokens ?? 0,
    here: sample.here,
    weight: (scales ? scaled : plain).weights[at] ?? 0,
  }));
}

interface Sample {
  readonly traits: ReadonlySet<string>;
  /** The logarithm of a length. */
  readonly value: number;
  readonly weight: number;
}

/** Weights by what samples have in common with these traits: one counts as much as lengths vary less with it than without. */
function alike(traits: ReadonlySet<string>, samples: readonly Sample[]): { weights: number[]; variance: number } {
  const usual = calculateVariance(samples);
  const worth = new Map<string, number>();
  for (const trait of traits) {
    const having = samples.filter((sample) => sample.traits.has(trait));
    if (having.length === 0) continue;
    const variance = (having.length * calculateVariance(having) + doubt * usual) / (having.length + doubt);
    worth.set(trait, Math.max(0, Math.log((usual + minVariance) / (variance + minVariance))));
  }
  const weights = samples.map((sample) => {
    const common = [...worth].reduce((sum, [trait, by]) => sum + (sample.traits.has(trait) ? by : 0), 0);
    return sample.weight * (weightUnlike + common ** 2);
  });
  return {
    weights,
    variance: calculateVariance(samples.map((sample, at) => ({ ...sample, weight: weights[at] ?? 0 }))),
  };
}

/** Lengths that differ by 3 % are equal. */
const minVariance = 0.001;

/** The words that a question begins with, about how long it is, and that it is of this chat. */
function getTraits({
  question,
  questionLength,
  here,
}: Pick<EarlierAnswer, 'question' | 'questionLength' | 'here'>): ReadonlySet<string> {
  const [opening = ''] = question.slice(0, openingLength).split('\n');
  const words = opening.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  return new Set([...words, `#${Math.round(Math.log(questionLength + 1))}`, ...(here ? ['#here'] : [])]);
}

/** The weighted variance. */
function calculateVariance(samples: readonly { readonly value: number; readonly weight: number }[]): number {
  const sum = samples.reduce((all, { weight }) => all + weight, 0);
  const mean = samples.reduce((all, { value, weight }) => all + value * weight, 0) / sum;
  return samples.reduce((all, { value, weight }) => all + (value - mean) ** 2 * weight, 0) / sum;
}

/** Lengths that were seen, and some with a few words less and more: the best one lies between two that were. */
const lengthsAround = (answers: readonly Length[]): Length[] =>
  answers.flatMap(({ completionTokens, imageTokens = 0 }) =>
    [1, 1.15, 0.85, 1.3, 0.77].map((by) => ({
      completionTokens: Math.round((completionTokens - imageTokens) * by) + imageTokens,
      imageTokens,
    })),
  );

/**
 * Tokens of the next prompt, from what the last answer's bill counted: that prompt, the answer and the new question. Better than any
 * count of ours, but only where all of the chat is sent, to the model that answered last.
 */
export const promptAfter = (last: NonNullable<Message['usage']>, questionTokens: number): number =>
  last.promptTokens + last.completionTokens - last.reasoningTokens + questionTokens;

import { ceilToNano, type NanoUsd, type PicoUsd, picoUsd } from './money.ts';

/**
 * Token counts with the same meaning for every provider (wire contract §1.7). `promptTokens` and `completionTokens` are
 * the totals; the other counts are parts of them.
 */
export interface TokenUsage {
  /** All input tokens, including cache reads and writes. */
  readonly promptTokens: number;
  /** All output tokens, reasoning included. */
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** The part of the cache writes that the provider keeps for an hour. */
  readonly cacheWriteHourTokens?: number;
  /** The audio part of the input, if the provider counts it. */
  readonly audioTokens?: number;
  /** The part of the output that is images, if the provider counts it. */
  readonly imageTokens?: number;
  /** Web searches by the provider's own tool, counted as the provider charges for them. */
  readonly searches?: number;
}

export const noTokens: TokenUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/**
 * Prices of one model in pico-USD per token; `request` is in pico-USD per request. `null` means the same price as plain
 * input.
 */
export interface Rates {
  readonly prompt: PicoUsd;
  readonly completion: PicoUsd;
  readonly cacheRead: PicoUsd | null;
  readonly cacheWrite: PicoUsd | null;
  /** The price of cache writes for an hour. The default is twice the input price, as providers usually charge. */
  readonly cacheWriteHour?: PicoUsd | null;
  /** The price of reasoning, if it differs from other output. */
  readonly reasoning?: PicoUsd | null;
  /** The price of audio input, if it differs from text. */
  readonly inputAudio?: PicoUsd | null;
  /** The price of generated images, if it differs from other output. */
  readonly outputImage?: PicoUsd | null;
}

export interface Price extends Rates {
  readonly request: PicoUsd;
  /** The price of one web search in pico-USD, if the model can search. */
  readonly search?: PicoUsd | null;
  /**
   * Ascending by `minPromptTokens`. A tier applies to the entire request if the prompt is longer than its threshold.
   */
  readonly tiers: readonly PriceTier[];
  /** The day of the price and its source, stored with each request. */
  readonly asOf?: string;
  readonly source?: string;
}

export interface PriceTier extends Rates {
  readonly minPromptTokens: number;
}

/** Returns the rates that apply to a prompt of this many tokens. */
export function ratesFor(price: Price, promptTokens: number): Rates {
  return price.tiers.findLast((tier) => promptTokens > tier.minPromptTokens) ?? price;
}

/** One line of a cost breakdown: its kind, a count, and the cost before rounding. */
export interface CostLine {
  readonly kind:
    | 'input'
    | 'audio'
    | 'cache_read'
    | 'cache_write'
    | 'cache_write_1h'
    | 'output'
    | 'reasoning'
    | 'image'
    | 'web_search'
    | 'request';
  /** Counts searches on the line of web searches. */
  readonly tokens: number;
  readonly pico: PicoUsd;
}

/** Kinds of lines, in the order of a cost breakdown. */
const lineKinds = [
  'input',
  'audio',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'reasoning',
  'image',
  'web_search',
  'request',
] as const satisfies readonly CostLine['kind'][];

/** Counts how many tokens (or searches, or requests) are priced at each of `lineRates`. Each token is counted once. */
export function lineCounts(rates: Rates, usage: TokenUsage): number[] {
  const uncached = Math.max(0, usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens);
  const audio = rates.inputAudio == null ? 0 : Math.min(uncached, usage.audioTokens ?? 0);
  const image = rates.outputImage == null ? 0 : Math.min(usage.completionTokens, usage.imageTokens ?? 0);
  const textTokens = usage.completionTokens - image;
  const reasoning = rates.reasoning == null ? 0 : Math.min(textTokens, usage.reasoningTokens);
  const forAnHour = Math.min(usage.cacheWriteTokens, usage.cacheWriteHourTokens ?? 0);
  return [
    uncached - audio,
    audio,
    usage.cachedTokens,
    usage.cacheWriteTokens - forAnHour,
    forAnHour,
    textTokens - reasoning,
    reasoning,
    image,
    usage.searches ?? 0,
    1,
  ];
}

/**
 * The unit price for each of `lineCounts`, in the same order. `rates` are the price's own or those of one of its tiers.
 */
export const lineRates = (price: Price, rates: Rates): PicoUsd[] => [
  rates.prompt,
  rates.inputAudio ?? rates.prompt,
  rates.cacheRead ?? rates.prompt,
  rates.cacheWrite ?? rates.prompt,
  rates.cacheWriteHour ?? picoUsd(2n * rates.prompt),
  rates.completion,
  rates.reasoning ?? rates.completion,
  rates.outputImage ?? rates.completion,
  price.search ?? picoUsd(0n),
  price.request,
];

/** Itemises a request. The sum of the lines, rounded up once, is the cost. */
export function costLines(price: Price, usage: TokenUsage): CostLine[] {
  const rates = ratesFor(price, usage.promptTokens);
  const prices = lineRates(price, rates);
  return lineCounts(rates, usage)
    .map((tokens, index) => ({
      kind: lineKinds[index] ?? 'input',
      tokens,
      pico: picoUsd(BigInt(tokens) * (prices[index] ?? 0n)),
    }))
    .filter((entry) => entry.pico !== 0n);
}

/** What answers of these lengths to the same prompt cost, as `getCost` has it: the rates are chosen once for all of them. */
export function createAnswerPricer(
  price: Price,
  prompt: Omit<TokenUsage, 'completionTokens' | 'reasoningTokens' | 'imageTokens'>,
): (completionTokens: number, imageTokens: number) => NanoUsd {
  const rates = ratesFor(price, prompt.promptTokens);
  const prices = lineRates(price, rates);
  const counts = lineCounts(rates, { ...prompt, completionTokens: 0, reasoningTokens: 0 });
  const before = counts.reduce((sum, count, index) => sum + BigInt(count) * (prices[index] ?? 0n), 0n);
  const imageRate = rates.outputImage ?? rates.completion;
  return (completionTokens, imageTokens) => {
    const images = Math.min(completionTokens, imageTokens);
    return ceilToNano(
      picoUsd(before + BigInt(completionTokens - images) * rates.completion + BigInt(images) * imageRate),
    );
  };
}

/** Returns what a request costs, rounded up once to the nano-USD (wire contract §1.7). */
export function getCost(price: Price, usage: TokenUsage): NanoUsd {
  const rates = ratesFor(price, usage.promptTokens);
  const prices = lineRates(price, rates);
  let sum = 0n;
  // Most counts of a request are zero. Skipping them matters where hundreds of thousands of requests are priced.
  for (const [index, count] of lineCounts(rates, usage).entries())
    if (count > 0) sum += BigInt(count) * (prices[index] ?? 0n);
  return ceilToNano(picoUsd(sum));
}

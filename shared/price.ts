import { ceilToNano, type NanoUsd, type PicoUsd, picoUsd } from './money.ts';

/** Token counts with one meaning for every provider (wire contract §1.7). Classes within the two totals. */
export interface TokenUsage {
  /** All input tokens, those read from and written to the prompt cache included. */
  readonly promptTokens: number;
  /** All output tokens, reasoning included. */
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Of those written to the cache, where they are to stay for an hour. */
  readonly cacheWriteHourTokens?: number;
  /** Of the input, where the provider counts them apart. */
  readonly audioTokens?: number;
}

export const noTokens: TokenUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** Prices of one model, in pico-USD per token; `request` in pico-USD per request. `null`: priced as plain input. */
export interface Rates {
  readonly prompt: PicoUsd;
  readonly completion: PicoUsd;
  readonly cacheRead: PicoUsd | null;
  readonly cacheWrite: PicoUsd | null;
  /** Writing to the cache for an hour, where it is not twice the plain input: what the providers that tell it apart ask. */
  readonly cacheWriteHour?: PicoUsd | null;
  /** Where reasoning is not priced as other output. */
  readonly reasoning?: PicoUsd | null;
  /** Where spoken input is not priced as written. */
  readonly inputAudio?: PicoUsd | null;
}

export interface Price extends Rates {
  readonly request: PicoUsd;
  /** Ascending by `minPromptTokens`; a tier prices the whole request once the prompt is longer than its threshold. */
  readonly tiers: readonly PriceTier[];
  /** Day from which the row is known to hold, and who says so; kept with each request it prices. */
  readonly asOf?: string;
  readonly source?: string;
}

export interface PriceTier extends Rates {
  readonly minPromptTokens: number;
}

/** The rates that apply to a prompt of this many tokens. */
export function ratesFor(price: Price, promptTokens: number): Rates {
  return price.tiers.findLast((tier) => promptTokens > tier.minPromptTokens) ?? price;
}

/** One line of a bill: a class of tokens, how many, and what they cost before the one rounding. */
export interface CostLine {
  readonly kind:
    | 'input'
    | 'audio'
    | 'cache_read'
    | 'cache_write'
    | 'cache_write_1h'
    | 'output'
    | 'reasoning'
    | 'request';
  readonly tokens: number;
  readonly pico: PicoUsd;
}

/** Itemises a request. The lines' sum, rounded up once, is the cost. */
export function costLines(price: Price, usage: TokenUsage): CostLine[] {
  const rates = ratesFor(price, usage.promptTokens);
  const uncached = Math.max(0, usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens);
  const audio = rates.inputAudio == null ? 0 : Math.min(uncached, usage.audioTokens ?? 0);
  const reasoning = rates.reasoning == null ? 0 : Math.min(usage.completionTokens, usage.reasoningTokens);
  const forAnHour = Math.min(usage.cacheWriteTokens, usage.cacheWriteHourTokens ?? 0);
  const line = (kind: CostLine['kind'], tokens: number, rate: PicoUsd): CostLine => ({
    kind,
    tokens,
    pico: picoUsd(BigInt(tokens) * rate),
  });
  return [
    line('input', uncached - audio, rates.prompt),
    line('audio', audio, rates.inputAudio ?? rates.prompt),
    line('cache_read', usage.cachedTokens, rates.cacheRead ?? rates.prompt),
    line('cache_write', usage.cacheWriteTokens - forAnHour, rates.cacheWrite ?? rates.prompt),
    line('cache_write_1h', forAnHour, rates.cacheWriteHour ?? picoUsd(2n * rates.prompt)),
    line('output', usage.completionTokens - reasoning, rates.completion),
    line('reasoning', reasoning, rates.reasoning ?? rates.completion),
    line('request', 1, price.request),
  ].filter((entry) => entry.pico !== 0n);
}

/** What a request costs, rounded up once to the nano-USD (wire contract §1.7). */
export function costOf(price: Price, usage: TokenUsage): NanoUsd {
  return ceilToNano(picoUsd(costLines(price, usage).reduce((sum, entry) => sum + entry.pico, 0n)));
}

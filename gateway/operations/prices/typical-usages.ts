import { type CostLine, noTokens, type TokenUsage } from '#shared/price.ts';

/**
 * The usages by which two prices of a model are compared. Each one is priced with both, by the code that computes real costs, so
 * every field of a price is covered.
 */

type LineKind = CostLine['kind'];

/** The price of one kind of token: a usage of only that kind, and the lines of its cost that count. */
export interface PricedLine {
  /** The name of the field in the price document. */
  readonly field: 'input' | 'output' | OwnRate;
  readonly kinds: readonly LineKind[];
  /** How many tokens are priced. */
  readonly count: (promptTokens: number) => number;
  readonly usage: (promptTokens: number) => TokenUsage;
}

/** Optional rates of a price. Without one, such a token costs what other input or output costs. */
export type OwnRate = 'cache_read' | 'cache_write' | 'cache_write_1h' | 'reasoning' | 'input_audio' | 'output_image';

const inputKinds: readonly LineKind[] = ['input', 'audio', 'cache_read', 'cache_write', 'cache_write_1h'];
const outputKinds: readonly LineKind[] = ['output', 'reasoning', 'image'];
const answerTokens = 1_000;

const input = (field: PricedLine['field'], part: (tokens: number) => Partial<TokenUsage>): PricedLine => ({
  field,
  kinds: inputKinds,
  count: (promptTokens) => promptTokens,
  usage: (promptTokens) => ({ ...noTokens, promptTokens, ...part(promptTokens) }),
});

const output = (field: PricedLine['field'], part: Partial<TokenUsage>): PricedLine => ({
  field,
  kinds: outputKinds,
  count: () => answerTokens,
  usage: (promptTokens) => ({ ...noTokens, promptTokens, completionTokens: answerTokens, ...part }),
});

export const pricedLines: readonly PricedLine[] = [
  input('input', () => ({})),
  input('cache_read', (cachedTokens) => ({ cachedTokens })),
  input('cache_write', (cacheWriteTokens) => ({ cacheWriteTokens })),
  input('cache_write_1h', (tokens) => ({ cacheWriteTokens: tokens, cacheWriteHourTokens: tokens })),
  input('input_audio', (audioTokens) => ({ audioTokens })),
  output('output', {}),
  output('reasoning', { reasoningTokens: answerTokens }),
  output('output_image', { imageTokens: answerTokens }),
];

/** Typical requests. */
export const typicalUsages: Readonly<Record<string, TokenUsage>> = {
  'a short chat': { ...noTokens, promptTokens: 200, completionTokens: 300 },
  'a long chat, mostly cached': {
    ...noTokens,
    promptTokens: 60_000,
    cachedTokens: 50_000,
    cacheWriteTokens: 5_000,
    completionTokens: 2_000,
  },
  'an answer that was thought about': {
    ...noTokens,
    promptTokens: 2_000,
    completionTokens: 6_000,
    reasoningTokens: 5_000,
  },
  'a minute of speech': { ...noTokens, promptTokens: 2_000, audioTokens: 1_900, completionTokens: 300 },
  'an image': { ...noTokens, promptTokens: 100, completionTokens: 1_400, imageTokens: 1_290 },
  'a search': { ...noTokens, promptTokens: 8_000, completionTokens: 800, searches: 2 },
};

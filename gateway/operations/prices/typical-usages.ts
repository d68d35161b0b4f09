import { type CostLine, noTokens, type TokenUsage } from '#shared/price.ts';

/**
 * What two prices of a model are compared by. Each usage is billed under both, by the code that bills requests, so that no field of a
 * price can change a bill unseen.
 */

type LineKind = CostLine['kind'];

/** What one kind of token costs, as a bill has it: a usage of nothing else, and the lines of it that count. */
export interface PricedLine {
  /** As the price document calls it. */
  readonly field: 'input' | 'output' | OwnRate;
  readonly kinds: readonly LineKind[];
  /** How many tokens are priced. */
  readonly count: (promptTokens: number) => number;
  readonly usage: (promptTokens: number) => TokenUsage;
}

/** Rates that a price may have or lack. Without its own a token costs what other input or output costs. */
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

/** Requests as people make them. */
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

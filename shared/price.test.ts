import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ceilToNano, formatUsd, parseUsdPerToken, picoUsd } from './money.ts';
import { costLines, getCost, noTokens, type Price } from './price.ts';

const price = (more: Partial<Price> = {}): Price => ({
  prompt: parseUsdPerToken('0.000001'),
  completion: parseUsdPerToken('0.000004'),
  cacheRead: null,
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
  ...more,
});
const usage = { ...noTokens, promptTokens: 1000, completionTokens: 100, cachedTokens: 200, reasoningTokens: 40 };

test.each<[string, Partial<Price>, object, string]>([
  ['input and output', {}, {}, '0.0014'],
  ['cache read', { cacheRead: parseUsdPerToken('0.0000001') }, {}, '0.00122'],
  ['cache write', { cacheWrite: parseUsdPerToken('0.00000125') }, { cacheWriteTokens: 100 }, '0.001425'],
  [
    'cache written for an hour, at twice the input price,',
    { cacheWrite: parseUsdPerToken('0.00000125') },
    { cacheWriteTokens: 100, cacheWriteHourTokens: 60 },
    '0.00147',
  ],
  [
    'cache written for an hour, at its own price,',
    { cacheWriteHour: parseUsdPerToken('0.000003') },
    { cacheWriteTokens: 100, cacheWriteHourTokens: 60 },
    '0.00152',
  ],
  ['reasoning', { reasoning: parseUsdPerToken('0.00001') }, {}, '0.00164'],
  ['audio', { inputAudio: parseUsdPerToken('0.000003') }, { audioTokens: 500 }, '0.0024'],
  ['audio limited to the uncached input', { inputAudio: parseUsdPerToken('0.000003') }, { audioTokens: 9000 }, '0.003'],
  ['a request', { request: parseUsdPerToken('0.01') }, {}, '0.0114'],
])('%s is priced', (_name, more, tokens, expected) => {
  expect(formatUsd(getCost(price(more), { ...usage, ...tokens }))).toBe(expected);
});

test('a tier prices the entire request once the prompt is longer than its threshold', () => {
  const tier = { ...price(), minPromptTokens: 1000, prompt: parseUsdPerToken('0.000002') };
  const costAt = (promptTokens: number) => formatUsd(getCost(price({ tiers: [tier] }), { ...noTokens, promptTokens }));
  expect([costAt(1000), costAt(1001)]).toEqual(['0.001', '0.002002']);
});

test('the lines count every token at most once and add up to the cost, rounded up once, for any prices', () => {
  const rate = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(picoUsd);
  const maybe = fc.option(rate);
  const prices = fc.record({
    prompt: rate,
    completion: rate,
    cacheRead: maybe,
    cacheWrite: maybe,
    cacheWriteHour: maybe,
    reasoning: maybe,
    inputAudio: maybe,
  });
  const tokens = fc.nat({ max: 1_000_000 });
  const counts = fc.record({
    plain: tokens,
    cachedTokens: tokens,
    cacheWriteTokens: tokens,
    cacheWriteHourTokens: tokens,
    output: tokens,
    reasoningTokens: tokens,
    audioTokens: tokens,
  });
  fc.assert(
    fc.property(prices, counts, (rates, { plain, output, ...count }) => {
      const promptTokens = plain + count.cachedTokens + count.cacheWriteTokens;
      const used = { ...count, promptTokens, completionTokens: output + count.reasoningTokens };
      const everyTokenCosts = {
        ...rates,
        prompt: picoUsd(rates.prompt + 1n),
        completion: picoUsd(rates.completion + 1n),
      };
      const lines = costLines(price(everyTokenCosts), used);
      expect(ceilToNano(picoUsd(lines.reduce((sum, { pico }) => sum + pico, 0n)))).toBe(
        getCost(price(everyTokenCosts), used),
      );
      expect(lines.reduce((sum, line) => sum + line.tokens, 0)).toBeLessThanOrEqual(
        promptTokens + used.completionTokens,
      );
      for (const line of lines) expect(line.tokens).toBeGreaterThanOrEqual(0);
    }),
  );
});

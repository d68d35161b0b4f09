import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ceilToNano, parseUsdPerToken, picoUsd } from '#shared/money.ts';
import { getCost, type TokenUsage } from '#shared/price.ts';
import { testModel, testPrice } from '../../../tests/gateway-doubles/test-models.ts';
import { getClaims, getFacts } from '../../models/catalogue/known-models.ts';
import { parsePricing } from '../../models/prices/price-document.ts';
import { shippedBook } from '../../models/prices/shipped-book.ts';
import { tokensPerSearch } from '../../providers/content/estimate-tokens.ts';
import { type Extent, highestCost, maxSearches } from './reserve.ts';

/** Every price row of the shipped book, each as a model. */
const models = shippedBook.models.flatMap(({ id, rows }) =>
  rows.map((row) => {
    const { webSearch } = getFacts(id);
    const price = parsePricing(row, shippedBook.as_of, shippedBook.source);
    const search = webSearch && { search: parseUsdPerToken(webSearch.price) };
    const { capabilities, facts } = getClaims(getFacts(id));
    return testModel(id, { price: { ...price, ...search }, capabilities, facts });
  }),
);

const inputTokens = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.constantFrom(1, 200_000, 200_001, 271_999, 272_000, 272_001),
);
const extent: fc.Arbitrary<Extent> = fc.record({
  inputTokens,
  outputTokens: fc.integer({ min: 0, max: 200_000 }),
  audio: fc.boolean(),
  promptCache: fc.constantFrom(null, '5m', '1h'),
  webSearch: fc.boolean(),
});
const part = fc.double({ min: 0, max: 1, noNaN: true });
const shares = fc.record({
  input: part,
  output: part,
  cached: part,
  written: part,
  hour: part,
  audio: part,
  thought: part,
  searched: part,
});

/** Usage that an upstream may report for a request that stays within its extent. */
function usageWithin(
  { inputTokens: most, outputTokens, audio, promptCache, webSearch }: Extent,
  share: typeof shares extends fc.Arbitrary<infer T> ? T : never,
  { unasked, searches }: { unasked: boolean; searches: number },
): TokenUsage {
  const found = webSearch ? searches * tokensPerSearch : 0;
  const promptTokens = Math.ceil((most + found) * share.input);
  const completionTokens = Math.ceil(outputTokens * share.output);
  const cachedTokens = Math.floor(promptTokens * share.cached);
  const writes = promptCache !== null || unasked;
  const cacheWriteTokens = writes ? Math.floor((promptTokens - cachedTokens) * share.written) : 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.floor(completionTokens * share.thought),
    cacheWriteHourTokens: promptCache === '1h' ? Math.floor(cacheWriteTokens * share.hour) : 0,
    audioTokens: audio ? Math.floor(promptTokens * share.audio) : 0,
    searches: webSearch ? Math.round(searches * share.searched) : 0,
  };
}

test('no usage within the extent of a request costs more, in any row of the shipped book', () => {
  expect(models.length).toBeGreaterThan(30);
  fc.assert(
    fc.property(fc.constantFrom(...models), extent, shares, (model, within, share) => {
      const unasked = model.provider !== 'anthropic';
      const usage = usageWithin(within, share, { unasked, searches: maxSearches(model, within.webSearch) });
      const most = highestCost(model, within);
      expect(model.price && getCost(model.price, usage)).toBeLessThanOrEqual(ceilToNano(most ?? picoUsd(-1n)));
    }),
    { numRuns: 3_000 },
  );
});

test('the highest cost is that of plain input and output when nothing dearer may happen', () => {
  const claude = testModel('anthropic/claude', {
    price: { ...testPrice('0.000001', '0.000004'), cacheWrite: picoUsd(9_000_000n) },
  });
  const plain: Extent = { inputTokens: 10, outputTokens: 5, audio: false, promptCache: null, webSearch: false };
  expect(highestCost(claude, plain)).toBe(30_000_000n);
  expect(highestCost(claude, { ...plain, promptCache: '5m' })).toBe(110_000_000n);
  expect(highestCost(claude, { ...plain, promptCache: '1h' })).toBe(110_000_000n);
  expect(highestCost({ ...claude, provider: 'openai' }, plain)).toBe(110_000_000n);
});

test.each([
  ['spoken input', { inputAudio: picoUsd(7_000_000n) }, { audio: true }, 70_000_000n + 20_000_000n],
  [
    'an hour in the cache, which costs twice the input when the book has no other price',
    {},
    { promptCache: '1h' },
    40_000_000n,
  ],
  ['an hour in the cache', { cacheWriteHour: picoUsd(3_000_000n) }, { promptCache: '1h' }, 50_000_000n],
  ['reasoning', { reasoning: picoUsd(6_000_000n) }, {}, 40_000_000n],
  ['a request', { request: picoUsd(1n) }, {}, 30_000_001n],
  ['no price', null, {}, null],
] as const)('the highest cost includes %s', (_what, more, asked, expected) => {
  const price = more && { ...testPrice('0.000001', '0.000004'), ...more };
  const within: Extent = {
    inputTokens: 10,
    outputTokens: 5,
    audio: false,
    promptCache: null,
    webSearch: false,
    ...asked,
  };
  expect(highestCost(testModel('anthropic/claude', { price }), within)).toBe(expected);
});

test('a tier that the input may reach is counted, and one beyond it is not', () => {
  const tier = { ...testPrice('0.000002', '0.000004'), minPromptTokens: 100 };
  const model = testModel('openai/gpt', { price: { ...testPrice('0.000001', '0.000004'), tiers: [tier] } });
  const within: Extent = { inputTokens: 100, outputTokens: 0, audio: false, promptCache: null, webSearch: false };
  expect(highestCost(model, within)).toBe(100_000_000n);
  expect(highestCost(model, { ...within, inputTokens: 101 })).toBe(202_000_000n);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nanoUsd, picoUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price } from '#shared/price.ts';
import { byokFee } from './byok-fee.ts';

const rate = fc.bigInt({ min: 0n, max: 600_000_000n }).map(picoUsd);
const price = fc.record({
  prompt: rate,
  completion: rate,
  request: rate,
  tiers: fc.constant([]),
  cacheRead: fc.option(rate),
  cacheWrite: fc.option(rate),
  reasoning: fc.option(rate),
});
const count = fc.integer({ min: 0, max: 3_000_000 });
const usage = fc
  .record({ promptTokens: count, completionTokens: count, share: fc.integer({ min: 0, max: 100 }) })
  .map(({ promptTokens, completionTokens, share }) => ({
    ...noTokens,
    promptTokens,
    completionTokens,
    cachedTokens: Math.floor((promptTokens * share) / 100),
    reasoningTokens: Math.floor((completionTokens * share) / 100),
  }));
const bps = fc.integer({ min: 0, max: 10_000 });

test('a fee is exactly its share of the cost, rounded up by less than one nano-dollar', () => {
  fc.assert(
    fc.property(price, usage, bps, (row, used, share) => {
      const fee = byokFee(row, used, share);
      const cost = getCost(row, used);
      expect(fee * 10_000n).toBeLessThan(cost * BigInt(share) + 10_000n);
      expect(fee * 10_000n).toBeGreaterThan((cost - 1n) * BigInt(share) - 1n);
    }),
  );
});

test('a share of zero costs nothing, and a share of 100 % costs the full price', () => {
  fc.assert(
    fc.property(price, usage, (row, used) => {
      expect(byokFee(row, used, 0)).toBe(0n);
      expect(byokFee(row, used, 10_000)).toBe(getCost(row, used));
    }),
  );
});

test('a fee never falls when the share, the tokens or the price rise', () => {
  fc.assert(
    fc.property(price, usage, bps, bps, count, (row, used, first, second, more) => {
      const [lower, higher] = first < second ? [first, second] : [second, first];
      const fee = byokFee(row, used, lower);
      expect(fee).toBeLessThanOrEqual(byokFee(row, used, higher));
      expect(fee).toBeLessThanOrEqual(byokFee(row, { ...used, completionTokens: used.completionTokens + more }, lower));
      expect(fee).toBeLessThanOrEqual(byokFee({ ...row, prompt: picoUsd(row.prompt + 1n) }, used, lower));
    }),
  );
});

test('the smallest fee is one nano-dollar, and only the sum is rounded, not each token', () => {
  const cheap: Price = {
    prompt: picoUsd(37_500n),
    completion: picoUsd(0n),
    request: picoUsd(0n),
    cacheRead: null,
    cacheWrite: null,
    tiers: [],
  };
  expect(byokFee(cheap, { ...noTokens, promptTokens: 1 }, 1)).toBe(nanoUsd(1n));
  // 1,000 tokens × 37,500 pico-USD × 2.5 % = 937.5 nano-USD.
  expect(byokFee(cheap, { ...noTokens, promptTokens: 1_000 }, 250)).toBe(nanoUsd(938n));
});

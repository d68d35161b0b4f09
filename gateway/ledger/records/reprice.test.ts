import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picoUsd } from '#shared/money.ts';
import { getCost, type Price, type Rates } from '#shared/price.ts';
import { type PastRequest, repricing } from './reprice.ts';

const rate = fc.bigInt({ min: 0n, max: 200_000_000n }).map(picoUsd);
const maybe = fc.option(rate, { nil: null });
const rates: fc.Arbitrary<Rates> = fc.record({
  prompt: rate,
  completion: rate,
  cacheRead: maybe,
  cacheWrite: maybe,
  cacheWriteHour: maybe,
  reasoning: maybe,
  inputAudio: maybe,
  outputImage: maybe,
});
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, rates, rate, rate, fc.integer({ min: 1, max: 300_000 }))
  .map(([own, tier, request, search, above]) => ({
    ...own,
    request,
    search,
    tiers: [{ ...tier, minPromptTokens: above }],
  }));
const tokens = fc.integer({ min: 0, max: 400_000 });
const past: fc.Arbitrary<PastRequest> = fc
  .record({
    promptTokens: tokens,
    completionTokens: tokens,
    cachedTokens: tokens,
    cacheWriteTokens: tokens,
    reasoningTokens: tokens,
    cacheWriteHourTokens: tokens,
    audioTokens: tokens,
    imageTokens: tokens,
    searches: fc.integer({ min: 0, max: 20 }),
    costNano: fc.bigInt({ min: 0n, max: 10n ** 10n }),
    needs: fc.subarray(['tools', 'vision']),
  })
  .map((usage) => ({ ...usage, cachedTokens: Math.min(usage.cachedTokens, usage.promptTokens) }));

test('the sum equals that of the requests, each priced and rounded separately', () => {
  fc.assert(
    fc.property(price, fc.array(past, { maxLength: 40 }), (candidate, requests) => {
      const model = { model: 'a/b', price: candidate, abilities: new Set(['tools', 'vision']) };
      const tally = repricing([{ ...model, contextLength: null, maxOutputTokens: null }]);
      for (const request of requests) tally.add(request);
      const [result] = tally.result();
      expect(result?.cost).toBe(requests.reduce((sum, request) => sum + getCost(candidate, request), 0n));
      expect(result?.actual).toBe(requests.reduce((sum, request) => sum + request.costNano, 0n));
      expect(result?.requests).toBe(requests.length);
    }),
  );
});

test('every request is counted once: as one that fits, is too long, or needs what the model lacks', () => {
  fc.assert(
    fc.property(
      price,
      fc.array(past, { maxLength: 40 }),
      fc.integer({ min: 1, max: 800_000 }),
      (candidate, requests, context) => {
        const able = { model: 'a/b', price: candidate, abilities: new Set(['tools']) };
        const tally = repricing([{ ...able, contextLength: context, maxOutputTokens: 300_000 }]);
        for (const request of requests) tally.add(request);
        const [result] = tally.result();
        if (!result) throw new Error('there is no result');
        const long = requests.filter(
          ({ promptTokens, completionTokens }) =>
            promptTokens + completionTokens > context || completionTokens > 300_000,
        );
        const unable = requests.filter((request) => !long.includes(request) && request.needs.includes('vision'));
        expect([result.tooLong.requests, result.unable.requests]).toEqual([long.length, unable.length]);
        expect(result.unable.lacks).toEqual(unable.length > 0 ? ['vision'] : []);
        expect(result.requests + long.length + unable.length).toBe(requests.length);
        expect(result.actual + result.tooLong.cost + result.unable.cost).toBe(
          requests.reduce((sum, { costNano }) => sum + costNano, 0n),
        );
      },
    ),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUsd, picoUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price, type TokenUsage } from '#shared/price.ts';
import { seeded } from '../../../tests/seed/random.ts';
import { type EarlierAnswer, expectedCost, promptAfter } from './expected-cost.ts';

/** Of a model of the middle: $3 and $15 per million, a tenth for what is cached. */
const price: Price = {
  prompt: picoUsd(3_000_000n),
  completion: picoUsd(15_000_000n),
  cacheRead: picoUsd(300_000n),
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
};
const bill = (promptTokens: number, completionTokens: number) =>
  costOf(price, { ...noTokens, promptTokens, completionTokens });

const lengths = fc.array(fc.record({ completionTokens: fc.nat({ max: 20_000 }), here: fc.boolean() }), {
  minLength: 1,
  maxLength: 52,
});

test('it lies between what the shortest and the longest of the earlier answers would cost, give or take a third', () => {
  fc.assert(
    fc.property(lengths, fc.nat({ max: 100_000 }), (answers, promptTokens) => {
      const expected = expectedCost({ price, promptTokens, cachedTokens: 0, answers });
      const all = answers.map(({ completionTokens }) => completionTokens);
      const usd = parseUsd(expected?.usd ?? '');
      expect(usd >= bill(promptTokens, Math.floor(Math.min(...all) * 0.76))).toBe(true);
      expect(usd <= bill(promptTokens, Math.ceil(Math.max(...all) * 1.31))).toBe(true);
      expect(expected?.near).toBeLessThanOrEqual(answers.length);
    }),
  );
});

test('answers that are all alike are expected again, and a few unlike ones change nothing', () => {
  const alike = Array.from({ length: 9 }, (): EarlierAnswer => ({ completionTokens: 400, here: true }));
  const unlike: EarlierAnswer[] = [
    { completionTokens: 9_000, here: true },
    { completionTokens: 12, here: true },
  ];
  const expected = expectedCost({ price, promptTokens: 100, cachedTokens: 0, answers: [...unlike, ...alike] });
  expect(expected).toMatchObject({ completionTokens: 400, near: 9, answers: { here: 11, elsewhere: 0 } });
});

test('without earlier answers nothing is expected', () => {
  expect(expectedCost({ price, promptTokens: 100, cachedTokens: 0, answers: [] })).toBeNull();
});

test('over a history with habits it is within 30 % of the bill in four sends of five', () => {
  const random = seeded(11);
  const normal = () => Array.from({ length: 12 }, random.next).reduce((sum, value) => sum + value, -6);
  const elsewhere: EarlierAnswer[] = [];
  let [hits, sends] = [0, 0];
  for (let chat = 0; chat < 200; chat += 1) {
    // Chats differ much from each other, and their answers less among themselves; one in twelve is of another kind.
    const usual = 350 * Math.exp(0.8 * normal());
    const here: EarlierAnswer[] = [];
    let last: TokenUsage | null = null;
    for (let turn = 0; turn < 14; turn += 1) {
      const questionTokens = random.between(20, 200);
      const unusual = random.chance(1 / 12) ? Math.exp(1.2 * normal()) : 1;
      const completionTokens = Math.max(1, Math.round(usual * unusual * Math.exp(0.22 * normal())));
      const promptTokens: number = last ? promptAfter(last, questionTokens) : questionTokens;
      const answers = [...elsewhere.slice(-40), ...here.slice(-12)];
      const expected = expectedCost({ price, promptTokens, cachedTokens: 0, answers });
      // What the provider counts for the question differs from what we do.
      const billed = bill(Math.round(promptTokens + questionTokens * 0.2), completionTokens);
      if (expected) {
        const off = Number(parseUsd(expected.usd) - billed) / Number(billed);
        sends += 1;
        if (Math.abs(off) <= 0.3) hits += 1;
      }
      here.push({ completionTokens, here: true });
      last = { ...noTokens, promptTokens, completionTokens };
    }
    elsewhere.push(...here.map(({ completionTokens }) => ({ completionTokens, here: false })));
  }
  expect(hits / sends).toBeGreaterThanOrEqual(0.8);
});

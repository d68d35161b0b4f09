import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUsd, picoUsd } from '#shared/money.ts';
import { createAnswerPricer, getCost, noTokens, type Price, type TokenUsage } from '#shared/price.ts';
import { seeded } from '../../../../tests/seed/random.ts';
import { recurringChat } from '../../../../tests/support/recurring-questions.ts';
import { type EarlierAnswer, expectedCost, promptAfter } from './expected-cost.ts';

/** The price of a mid-range model: $3 and $15 per million tokens, and a tenth of the input price for cached tokens. */
const price: Price = {
  prompt: picoUsd(3_000_000n),
  completion: picoUsd(15_000_000n),
  cacheRead: picoUsd(300_000n),
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
};
const bill = (promptTokens: number, completionTokens: number) =>
  getCost(price, { ...noTokens, promptTokens, completionTokens });

const answered = (completionTokens: number, here: boolean, question = ''): EarlierAnswer => ({
  completionTokens,
  here,
  question,
  questionLength: question.length,
});
const lengths = fc.array(
  fc.tuple(fc.nat({ max: 20_000 }), fc.boolean()).map(([tokens, here]) => answered(tokens, here)),
  { minLength: 1, maxLength: 40 },
);

test('the expected cost lies between the costs of the shortest and the longest earlier answer, give or take a third', () => {
  fc.assert(
    fc.property(lengths, fc.nat({ max: 100_000 }), (answers, promptTokens) => {
      const expected = expectedCost({ price, promptTokens, cachedTokens: 0, question: '', answers });
      const all = answers.map(({ completionTokens }) => completionTokens);
      const usd = parseUsd(expected?.usd ?? '');
      expect(usd >= bill(promptTokens, Math.floor(Math.min(...all) * 0.76))).toBe(true);
      expect(usd <= bill(promptTokens, Math.ceil(Math.max(...all) * 1.31))).toBe(true);
      expect(expected?.near).toBeLessThanOrEqual(answers.length);
    }),
  );
});

test('the expected length is that of most earlier answers, and a few outliers do not change it', () => {
  const alike = Array.from({ length: 9 }, () => answered(400, true));
  const answers = [answered(9_000, true), answered(12, true), ...alike];
  const expected = expectedCost({ price, promptTokens: 100, cachedTokens: 0, question: '', answers });
  expect(expected).toMatchObject({ completionTokens: 400, near: 9, answers: { here: 11, elsewhere: 0 } });
});

test('the expected length follows answers to similar questions, or the length of the pasted text', () => {
  const facts = [40, 44, 38, 42].map((tokens, index) => answered(tokens, false, `Quick question: what is ${index}?`));
  const text = (words: number) => `Translate into German:\n\n${'word '.repeat(words)}`;
  const translations = [100, 300, 900, 200].map((words) => answered(words * 2, false, text(words)));
  const expected = (question: string) =>
    expectedCost({ price, promptTokens: 0, cachedTokens: 0, question, answers: [...translations, ...facts] });
  const tokens = (question: string) => expected(question)?.completionTokens ?? 0;
  expect(tokens('Quick question: what is a mutex?')).toBeLessThan(60);
  expect(tokens(text(600)) / 1200).toBeGreaterThan(0.75);
  expect(tokens(text(600)) / 1200).toBeLessThan(1.35);
});

test('a question of any length and script gets an expected cost', () => {
  const answers = [answered(100, true, 'Why?'), answered(50, false, '')];
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (question) => {
      const expected = expectedCost({ price, promptTokens: 10, cachedTokens: 0, question, answers });
      expect(parseUsd(expected?.usd ?? '')).toBeGreaterThan(0n);
    }),
    { numRuns: 25 },
  );
});

test('there is no expected cost without earlier answers', () => {
  expect(expectedCost({ price, promptTokens: 100, cachedTokens: 0, question: 'Why?', answers: [] })).toBeNull();
});

interface Asked {
  readonly text: string;
  readonly completionTokens: number;
}

/**
 * Returns the share of questions whose bill was within 30 % of the expected cost. Each expected cost uses only the
 * answers before it.
 */
function shareOfHits(chats: Iterable<readonly Asked[]>): number {
  const elsewhere: EarlierAnswer[] = [];
  let [hits, sends] = [0, 0];
  for (const chat of chats) {
    const here: EarlierAnswer[] = [];
    let last: TokenUsage | null = null;
    for (const { text: question, completionTokens } of chat) {
      const questionTokens = Math.ceil(question.length / 4);
      const promptTokens: number = last ? promptAfter(last, questionTokens) : questionTokens;
      const answers = [...elsewhere.slice(-200), ...here.slice(-12)];
      const expected = expectedCost({ price, promptTokens, cachedTokens: 0, question, answers });
      // The provider counts the tokens of a question differently than the app.
      const billed = bill(Math.round(promptTokens + questionTokens * 0.2), completionTokens);
      if (expected) {
        sends += 1;
        if (Math.abs(Number(parseUsd(expected.usd) - billed) / Number(billed)) <= 0.3) hits += 1;
      }
      here.push(answered(completionTokens, true, question));
      last = { ...noTokens, promptTokens, completionTokens };
    }
    elsewhere.push(...here.map((answer) => ({ ...answer, here: false })));
  }
  return hits / sends;
}

test('the expected cost is within 30 % of the bill for four of five questions when answers have typical lengths', () => {
  const random = seeded(11);
  const normal = () => Array.from({ length: 12 }, random.next).reduce((sum, value) => sum + value, -6);
  // Lengths differ a lot between chats and less within a chat. One answer in twelve is unusual.
  const chats = Array.from({ length: 80 }, () => {
    const usual = 350 * Math.exp(0.8 * normal());
    return Array.from({ length: 14 }, () => {
      const unusual = random.chance(1 / 12) ? Math.exp(1.2 * normal()) : 1;
      const completionTokens = Math.max(1, Math.round(usual * unusual * Math.exp(0.22 * normal())));
      return { text: 'x'.repeat(random.between(80, 800)), completionTokens };
    });
  });
  expect(shareOfHits(chats)).toBeGreaterThanOrEqual(0.8);
});

test.each([1, 2, 3])(
  'the expected cost is within 30 % of the bill for four of five questions when kinds of questions recur (seed %i)',
  (seed) => {
    const random = seeded(seed);
    expect(shareOfHits(Array.from({ length: 200 }, () => recurringChat(random)))).toBeGreaterThanOrEqual(0.8);
  },
);

test('pricing several answers together gives the same costs as pricing each alone, for every price and prompt', () => {
  const rate = fc.bigInt({ min: 0n, max: 10n ** 8n }).map(picoUsd);
  const rates = fc.record({
    prompt: rate,
    completion: rate,
    cacheRead: fc.option(rate),
    cacheWrite: fc.constant(null),
    outputImage: fc.option(rate),
    reasoning: fc.option(rate),
  });
  const prices = fc.tuple(rates, rate, rate).map(([own, request, search]) => ({
    ...own,
    request,
    search,
    tiers: [{ ...own, prompt: picoUsd(own.prompt * 2n), minPromptTokens: 500 }],
  }));
  const counts = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(3), fc.nat(5000), fc.nat(6000));
  fc.assert(
    fc.property(prices, counts, (tiered, [promptTokens, cached, searches, completionTokens, imageTokens]) => {
      const prompt = { ...noTokens, promptTokens, cachedTokens: Math.min(cached, promptTokens), searches };
      expect(createAnswerPricer(tiered, prompt)(completionTokens, imageTokens)).toBe(
        getCost(tiered, { ...prompt, completionTokens, imageTokens }),
      );
    }),
  );
});

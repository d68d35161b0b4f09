import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billLines } from './bill-lines.ts';
import { nanoUsd, parseUsd, picoUsd } from './money.ts';
import { getCost } from './price.ts';

const rate = fc.bigInt(0n, 100_000_000n).map(picoUsd);
const maybe = fc.option(rate);
const rates = { prompt: rate, completion: rate, cacheRead: maybe, cacheWrite: maybe };
const price = fc.record({ ...rates, request: rate, tiers: fc.constant([]) });
const richPrice = fc.record({ ...rates, reasoning: maybe, inputAudio: maybe, request: rate, tiers: fc.constant([]) });
const count = fc.nat(2_000_000);
const usage = fc.record({
  plain: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  text: count,
  reasoningTokens: count,
});
const getTokens = ({
  plain,
  text,
  ...rest
}: { plain: number; text: number } & Record<'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens', number>) => ({
  ...rest,
  promptTokens: plain + rest.cachedTokens + rest.cacheWriteTokens,
  completionTokens: text + rest.reasoningTokens,
});
const getSum = (lines: readonly { usd: string }[]) => lines.reduce((sum, line) => sum + parseUsd(line.usd), 0n);

test('reasoning and audio input with their own prices get their own lines', () => {
  const [oneMicroUsd, twoMicroUsd] = [picoUsd(1_000_000n), picoUsd(2_000_000n)];
  const row = {
    prompt: oneMicroUsd,
    completion: oneMicroUsd,
    cacheRead: null,
    cacheWrite: null,
    request: picoUsd(0n),
    tiers: [],
  };
  const own = { ...row, reasoning: twoMicroUsd, inputAudio: twoMicroUsd };
  const tokens = {
    promptTokens: 10,
    completionTokens: 10,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 4,
    audioTokens: 3,
  };
  const describeLines = (given: typeof row) =>
    billLines(given, tokens, getCost(given, tokens)).lines.map((line) => [line.kind, line.tokens, line.usd].join(' '));
  expect(describeLines(own)).toEqual([
    'input 7 0.000007',
    'audio 3 0.000006',
    'output 6 0.000006',
    'reasoning 4 0.000008',
  ]);
  expect(describeLines(row)).toEqual(['input 10 0.00001', 'reasoning 4 0.000004', 'output 6 0.000006']);
});

test('the lines of a cost breakdown add up to the charged amount, whatever it is', () => {
  fc.assert(
    fc.property(richPrice, usage, fc.bigInt(-1_000n, 1_000_000_000n), (row, parts, difference) => {
      const tokens = getTokens(parts);
      const listed = getCost(row, tokens);
      const charged = nanoUsd(listed + difference);
      const { lines } = billLines(row, tokens, charged);
      expect(getSum(lines)).toBe(charged);
      expect(lines.some((line) => line.kind === 'other')).toBe(difference !== 0n);
    }),
  );
});

test('each line equals its own price to within a nano-dollar, and reasoning is separate from other output', () => {
  fc.assert(
    fc.property(price, usage, (row, parts) => {
      const tokens = getTokens(parts);
      const { lines } = billLines(row, tokens, getCost(row, tokens));
      const getPico = (kind: string) => parseUsd(lines.find((line) => line.kind === kind)?.usd ?? '0') * 1000n;
      const near = (amount: bigint, exact: bigint) =>
        expect(amount - exact < 1000n && exact - amount < 1000n).toBe(true);
      near(getPico('output'), BigInt(parts.text) * row.completion);
      near(getPico('reasoning'), BigInt(parts.reasoningTokens) * row.completion);
      near(getPico('input'), BigInt(parts.plain) * row.prompt);
    }),
  );
});

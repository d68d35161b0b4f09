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

test('reasoning and spoken input with prices of their own have lines of their own', () => {
  const [one, two] = [picoUsd(1_000_000n), picoUsd(2_000_000n)];
  const row = { prompt: one, completion: one, cacheRead: null, cacheWrite: null, request: picoUsd(0n), tiers: [] };
  const own = { ...row, reasoning: two, inputAudio: two };
  const tokens = {
    promptTokens: 10,
    completionTokens: 10,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 4,
    audioTokens: 3,
  };
  const told = (given: typeof row) =>
    billLines(given, tokens, getCost(given, tokens)).lines.map((line) => [line.kind, line.tokens, line.usd].join(' '));
  expect(told(own)).toEqual(['input 7 0.000007', 'audio 3 0.000006', 'output 6 0.000006', 'reasoning 4 0.000008']);
  expect(told(row)).toEqual(['input 10 0.00001', 'reasoning 4 0.000004', 'output 6 0.000006']);
});

test('the lines of a bill add up to what was charged, whatever was charged', () => {
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

test('each line is its own price to within a nano-dollar, and reasoning is told apart from the answer', () => {
  fc.assert(
    fc.property(price, usage, (row, parts) => {
      const tokens = getTokens(parts);
      const { lines } = billLines(row, tokens, getCost(row, tokens));
      const of = (kind: string) => parseUsd(lines.find((line) => line.kind === kind)?.usd ?? '0') * 1000n;
      const near = (amount: bigint, exact: bigint) =>
        expect(amount - exact < 1000n && exact - amount < 1000n).toBe(true);
      near(of('output'), BigInt(parts.text) * row.completion);
      near(of('reasoning'), BigInt(parts.reasoningTokens) * row.completion);
      near(of('input'), BigInt(parts.plain) * row.prompt);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billLines } from './bill-lines.ts';
import { nanoUsd, parseUsd, picoUsd } from './money.ts';
import { costOf } from './price.ts';

const rate = fc.bigInt(0n, 100_000_000n).map(picoUsd);
const rates = { prompt: rate, completion: rate, cacheRead: fc.option(rate), cacheWrite: fc.option(rate) };
const price = fc.record({ ...rates, request: rate, tiers: fc.constant([]) });
const count = fc.nat(2_000_000);
const usage = fc.record({
  plain: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  text: count,
  reasoningTokens: count,
});
const tokensOf = ({
  plain,
  text,
  ...rest
}: { plain: number; text: number } & Record<'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens', number>) => ({
  ...rest,
  promptTokens: plain + rest.cachedTokens + rest.cacheWriteTokens,
  completionTokens: text + rest.reasoningTokens,
});
const sumOf = (lines: readonly { usd: string }[]) => lines.reduce((sum, line) => sum + parseUsd(line.usd), 0n);

test('the lines of a bill add up to what was charged, whatever was charged', () => {
  fc.assert(
    fc.property(price, usage, fc.bigInt(-1_000n, 1_000_000_000n), (row, parts, difference) => {
      const tokens = tokensOf(parts);
      const listed = costOf(row, tokens);
      const charged = nanoUsd(listed + difference);
      const { lines } = billLines(row, tokens, charged);
      expect(sumOf(lines)).toBe(charged);
      expect(lines.some((line) => line.kind === 'other')).toBe(difference !== 0n);
    }),
  );
});

test('each line is its own price to within a nano-dollar, and reasoning is told apart from the answer', () => {
  fc.assert(
    fc.property(price, usage, (row, parts) => {
      const tokens = tokensOf(parts);
      const { lines } = billLines(row, tokens, costOf(row, tokens));
      const of = (kind: string) => parseUsd(lines.find((line) => line.kind === kind)?.usd ?? '0') * 1000n;
      const near = (amount: bigint, exact: bigint) =>
        expect(amount - exact < 1000n && exact - amount < 1000n).toBe(true);
      near(of('output'), BigInt(parts.text) * row.completion);
      near(of('reasoning'), BigInt(parts.reasoningTokens) * row.completion);
      near(of('input'), BigInt(parts.plain) * row.prompt);
    }),
  );
});

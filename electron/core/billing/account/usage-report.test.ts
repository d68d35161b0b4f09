import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportedBucket } from '#shared/client/reported.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { foldByDay } from './read-usage-report.ts';
import { calculateForecast } from './usage-feature.ts';

const days = ['2026-10-30', '2026-10-31', '2026-11-01'];

const bucket = fc
  .record({
    day: fc.constantFrom(...days),
    model: fc.constantFrom(...Array.from({ length: 400 }, (_, index) => `model-${index}`)),
    nano: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    requests: fc.nat(9),
    prompt: fc.nat(999),
  })
  .map(
    ({ day, model, nano, requests, prompt }): ReportedBucket => ({
      object: 'usage.bucket',
      provider: 'openai',
      model,
      day,
      key: null,
      status: null,
      requests,
      succeeded: requests,
      failed: 0,
      cancelled: 0,
      prompt_tokens: prompt,
      cached_tokens: 0,
      completion_tokens: 3,
      reasoning_tokens: 3,
      total_tokens: prompt + 3,
      cost_usd: formatUsd(nanoUsd(nano)),
      byok_requests: 0,
      byok_upstream_cost_usd: '0',
    }),
  );

const getCost = (all: readonly { cost_usd: string | null }[]) =>
  formatUsd(nanoUsd(all.reduce((sum, { cost_usd }) => sum + parseUsd(cost_usd ?? ''), 0n)));

test('groups, days and chart series add up to the same totals, however many groups there are', () => {
  fc.assert(
    fc.property(fc.array(bucket, { maxLength: 500, size: 'max' }), (buckets) => {
      const getGroup = ({ model }: Pick<ReportedBucket, 'model'>) =>
        ({ kind: 'named', id: model, provider: null, name: null }) as const;
      const { totals, perDay, groups, more, series } = foldByDay(buckets, getGroup, days, '');
      const total = getCost(buckets);
      expect(totals.cost_usd).toBe(total);
      expect(getCost(perDay ?? [])).toBe(total);
      expect(getCost(groups ?? [])).toBe(total);
      expect(getCost((series ?? []).flatMap((group) => group.days))).toBe(total);
      expect((groups ?? []).length + Math.max(0, more - 1)).toBe(new Set(buckets.map(({ model }) => model)).size);
      expect(series?.length ?? 0).toBeLessThanOrEqual(6);
      const shares = (groups ?? []).map(({ share }) => share ?? -1);
      expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a sum is unknown, not zero, when one of its buckets has no cost', () => {
  const [example] = fc.sample(bucket, 1);
  if (!example) throw new Error('no sample');
  const getGroup = () => ({ kind: 'elsewhere', id: null, provider: null, name: null }) as const;
  const { totals, groups } = foldByDay([example, { ...example, cost_usd: null }], getGroup, days, '');
  expect([totals.cost_usd, groups?.[0]?.cost_usd, groups?.[0]?.share]).toEqual([null, null, null]);
  expect(totals.requests).toBe((example.requests ?? 0) * 2);
});

test('a forecast adds the mean of the full days before today for each remaining day of the month', () => {
  const costs = new Map([
    ['2026-11-01', 1_000n],
    ['2026-11-10', 600n],
    ['2026-11-24', 50n],
  ]);
  // 23 days from the 1st to the 23rd, and six from the 25th to the 30th.
  expect(calculateForecast(costs, '2026-11-24')).toEqual({
    month: '2026-11',
    so_far_usd: formatUsd(nanoUsd(1_650n)),
    estimate: {
      total_usd: formatUsd(nanoUsd(1_650n + (1_600n * 6n) / 23n)),
      mean_usd: formatUsd(nanoUsd(1_600n / 23n)),
      mean_days: 23,
      days_left: 6,
    },
  });
});

test('there is no forecast after less than a week of use', () => {
  for (const day of ['2026-11-24', '2026-11-23', '2026-11-18'])
    expect(calculateForecast(new Map([[day, 5n]]), '2026-11-24').estimate).toBeNull();
  expect(calculateForecast(new Map([['2026-11-17', 5n]]), '2026-11-24').estimate).toMatchObject({ mean_days: 7 });
  expect(calculateForecast(new Map(), '2026-11-24').estimate).toBeNull();
  expect(calculateForecast(new Map([['2026-11-02', 5n]]), '2026-11-30').estimate).toMatchObject({ days_left: 0 });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import type { UsageSums } from '#shared/contract/app/usage.ts';
import { usageGrouping } from '#shared/contract/app/usage.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { seed } from '../../../../tests/seed/seed.ts';
import type { TestCore } from '../../../../tests/support/core-of-test.ts';
import { testCore } from '../../../../tests/support/test-core.ts';

/** In every zone that has daylight saving time, the clocks changed during the 240 days before this time. */
const now = Date.UTC(2026, 10, 24, 12);

/** The UTC offset of each zone as an SQL expression, from the zones' laws. */
const hour = 3_600_000;
const before = (iso: string, hours: number) => `when created < ${Date.parse(iso)} then ${hours * hour}`;
const zones = [
  ['UTC', '0'],
  ['Europe/Berlin', `case ${before('2026-03-29T01:00Z', 1)} ${before('2026-10-25T01:00Z', 2)} else ${hour} end`],
  [
    'America/New_York',
    `case ${before('2026-03-08T07:00Z', -5)} ${before('2026-11-01T06:00Z', -4)} else ${-5 * hour} end`,
  ],
  [
    'Pacific/Auckland',
    `case ${before('2026-04-04T14:00Z', 13)} ${before('2026-09-26T14:00Z', 12)} else ${13 * hour} end`,
  ],
  ['Asia/Kolkata', String(5.5 * hour)],
] as const;

/** Periods that contain clock changes and the ends of months. */
const periods = [
  ['2026-10-20', '2026-11-05'],
  ['2026-03-28', '2026-04-06'],
  ['2026-09-20', '2026-10-02'],
  ['2026-11-01', '2026-11-01'],
] as const;

const own = "account_id = (select id from accounts where name = 'Your keys')";

let core: TestCore;

beforeAll(async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-usage-'));
  await seed({
    dataFolder,
    conversations: 25,
    messages: 400,
    long: 0,
    requests: 4_000,
    seed: 7,
    nowMs: now,
    force: false,
  });
  core = await testCore({ openGateway, dataFolder, now: () => now });
  return () => core.close();
});

interface Sum {
  readonly local: string;
  readonly requests: bigint;
  readonly failed: bigint;
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly charge: bigint;
}

function bySql(offset: string, [first, last]: readonly [string, string]): Sum[] {
  const db = new Sqlite(join(core.dataFolder, 'gateway.db'), { readonly: true });
  try {
    return db
      .prepare(
        `select date((created + ${offset}) / 1000, 'unixepoch') as local, count(*) as requests, sum(status = 'failed') as failed,
          sum(prompt_tokens) as prompt, sum(completion_tokens) as completion, sum(charge) as charge
        from requests where ${own} group by local having local between ? and ?`,
      )
      .safeIntegers()
      .all(first, last) as Sum[];
  } finally {
    db.close();
  }
}

const plain = ({ requests, failed, input, cached, output, reasoning, cost_usd }: UsageSums) => ({
  requests,
  failed,
  prompt: (input ?? 0) + (cached ?? 0),
  completion: (output ?? 0) + (reasoning ?? 0),
  cost_usd,
});
const plainSql = ({ requests, failed, prompt, completion, charge }: Omit<Sum, 'local'>) => ({
  requests: Number(requests),
  failed: Number(failed),
  prompt: Number(prompt),
  completion: Number(completion),
  cost_usd: formatUsd(nanoUsd(charge)),
});
const none = { requests: 0n, failed: 0n, prompt: 0n, completion: 0n, charge: 0n };
const added = (all: readonly Omit<Sum, 'local'>[]) =>
  all.reduce(
    (sum, next) => ({
      requests: sum.requests + next.requests,
      failed: sum.failed + next.failed,
      prompt: sum.prompt + next.prompt,
      completion: sum.completion + next.completion,
      charge: sum.charge + next.charge,
    }),
    none,
  );

describe.each(zones)('in %s', (zone, offset) => {
  test.each(periods)('the days from %s to %s match the sums of an SQL query', async (first, last) => {
    const report = await core.client.usage.get({
      billingAccount: 'main',
      period: { first, last, zone },
      groupBy: 'model',
    });
    const expected = bySql(offset, [first, last]);
    const days = new Map(expected.map((sum) => [sum.local, sum]));
    expect(report.perDay?.map(plain)).toEqual(report.days.map((day) => plainSql(days.get(day) ?? none)));
    expect(plain(report.totals)).toEqual(plainSql(added(expected)));
    expect(report).toMatchObject({ zone, ofPeriod: true });
  });

  test('every grouping and its days add up to the same totals', async () => {
    const period = { first: '2026-10-20', last: '2026-11-05', zone };
    const expected = plainSql(added(bySql(offset, [period.first, period.last])));
    for (const groupBy of usageGrouping.options) {
      const { groups, series, perDay, totals } = await core.client.usage.get({
        billingAccount: 'main',
        period,
        groupBy,
      });
      expect([groupBy, plain(totals)]).toEqual([groupBy, expected]);
      expect([groupBy, getSum(groups ?? [])]).toEqual([groupBy, expected]);
      const stacked = (perDay ?? []).map((_sum, index) =>
        getSum((series ?? []).map(({ days }) => days[index] as UsageSums)),
      );
      expect([groupBy, stacked]).toEqual([groupBy, perDay?.map(plain)]);
    }
  });
});

function getSum(all: readonly UsageSums[]) {
  const nano = all.reduce((sum, { cost_usd }) => sum + parseUsd(cost_usd ?? ''), 0n);
  const total = (name: 'requests' | 'failed' | 'prompt' | 'completion') =>
    all.map(plain).reduce((sum, next) => sum + (next[name] ?? 0), 0);
  return {
    requests: total('requests'),
    failed: total('failed'),
    prompt: total('prompt'),
    completion: total('completion'),
    cost_usd: formatUsd(nanoUsd(nano)),
  };
}

const period = { first: '2026-10-20', last: '2026-11-05', zone: 'Europe/Berlin' };

test('the requests behind a bar are those of its period and group, with their message', async () => {
  for (const groupBy of ['model', 'folder', 'conversation'] as const) {
    const { groups } = await core.client.usage.get({ billingAccount: 'main', period, groupBy });
    for (const group of groups?.slice(0, 3) ?? []) {
      const { kind, id, provider, requests } = group;
      const lines = [];
      for (let after: string | null | undefined; after !== null; ) {
        const asked = { billingAccount: 'main', period, groupBy, group: { kind, id, provider }, after } as const;
        const page = await core.client.usage.requests(asked);
        lines.push(...page.data);
        after = page.after;
      }
      expect([groupBy, lines.length]).toEqual([groupBy, requests]);
      if (groupBy === 'conversation' && kind === 'named')
        expect(lines.every(({ use }) => use?.conversationId === id && use.messageId !== null)).toBe(true);
      if (kind === 'elsewhere') expect(lines.every(({ use }) => use === null)).toBe(true);
    }
  }
});

test('an exported row is one request, in CSV and in JSON', async () => {
  const text = async (format: 'csv' | 'json') => {
    const parts: string[] = [];
    for await (const piece of await core.client.usage.export({ billingAccount: 'main', period, format }))
      parts.push(piece.text);
    return parts.join('');
  };
  const { requests } = JSON.parse(await text('json')) as { requests: Record<string, string | number | null>[] };
  const offset = zones[1][1];
  const expected = plainSql(added(bySql(offset, [period.first, period.last])));
  expect(requests).toHaveLength(expected.requests);
  const nano = requests.reduce((sum, { cost_usd }) => sum + parseUsd(String(cost_usd ?? '0')), 0n);
  expect(formatUsd(nanoUsd(nano))).toBe(expected.cost_usd);
  expect(requests.map(({ time }) => time)).toEqual(requests.map(({ time }) => String(time)).sort());
  const [head, ...rows] = (await text('csv')).trimEnd().split('\r\n');
  expect(head?.split(',')).toEqual(Object.keys(requests[0] ?? {}));
  const names = new Set(requests.map(({ provider, provider_name: name }) => `${provider}: ${name}`));
  expect(names).toContain('openai: OpenAI');
  expect(rows.map((row) => row.split(',')[0])).toEqual(requests.map(({ request_id }) => request_id));
});

test('cache savings are the cached input at full price minus its actual cost', async () => {
  const { cache_savings_usd: saved, failures } = await core.client.usage.insights({ billingAccount: 'main', period });
  const db = new Sqlite(join(core.dataFolder, 'gateway.db'), { readonly: true });
  const rows = db
    .prepare(
      `select price, cached_tokens as cached, prompt_tokens as prompt from requests where ${own} and cached_tokens > 0
        and date((created + ${zones[1][1]}) / 1000, 'unixepoch') between ? and ?`,
    )
    .all(period.first, period.last) as { price: string; cached: number; prompt: number }[];
  const failed = db
    .prepare(
      `select error_code as code, count(*) as requests from requests where ${own} and error_code is not null
        and date((created + ${zones[1][1]}) / 1000, 'unixepoch') between ? and ? group by 1 order by 2 desc`,
    )
    .all(period.first, period.last);
  db.close();
  const pico = (usd: string | null) => (usd === null ? null : BigInt(Math.round(Number(usd) * 1e12)));
  const expected = rows.reduce((sum, { price, cached, prompt }) => {
    const pricing = JSON.parse(price);
    const rates =
      pricing.tiers.findLast((tier: { min_prompt_tokens: number }) => prompt > tier.min_prompt_tokens) ?? pricing;
    const full = pico(rates.prompt) ?? 0n;
    return sum + BigInt(cached) * (full - (pico(rates.input_cache_read) ?? full));
  }, 0n);
  expect(rows.length).toBeGreaterThan(10);
  expect(saved).toBe(formatUsd(nanoUsd(expected / 1000n)));
  expect(failures?.map(({ code, requests }) => ({ code, requests }))).toEqual(failed);
});

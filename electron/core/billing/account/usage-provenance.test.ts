import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { seed } from '../../../../tests/seed/seed.ts';
import { testCore } from '../../../../tests/support/test-core.ts';

const now = Date.UTC(2026, 10, 24, 12);
const period = { first: '2026-01-01', last: '2026-11-24', zone: 'Europe/Berlin' };

/**
 * Covers every combination of the columns that decide where a cost comes from. A failed request is never charged (wire
 * contract §1.4).
 */
const everyFlag = `update requests set
  status = case rowid % 3 when 0 then 'succeeded' when 1 then 'failed' else 'cancelled' end,
  estimated = rowid / 3 % 2, byok = rowid / 6 % 2, price = case rowid / 12 % 2 when 0 then price end,
  charge = case when rowid % 3 = 1 or rowid / 24 % 2 = 0 or rowid / 48 % 2 = 0 then 0 else charge end,
  upstream_cost = case rowid / 48 % 2 when 0 then 0 else upstream_cost end,
  prompt_tokens = case rowid / 96 % 2 when 0 then 0 else prompt_tokens end,
  completion_tokens = case rowid / 96 % 2 when 0 then 0 else completion_tokens end,
  error_code = case rowid % 3 when 0 then null else case rowid / 192 % 2 when 0 then 'upstream_error' else 'upstream_timeout' end end`;

test('groups by cost source match the sources of their lines, for own keys and for credits', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-provenance-'));
  const extent = { conversations: 20, messages: 120, long: 0, requests: 1_200 };
  await seed({ dataFolder, ...extent, seed: 3, nowMs: now, force: false });
  const db = new Sqlite(join(dataFolder, 'gateway.db'));
  db.exec(everyFlag);
  // Half of the requests move to an account with credits; the others stay on own keys.
  db.exec(
    `update requests set account_id = (select id from accounts where plan = 'sandbox') where rowid / 384 % 2 = 0`,
  );
  // The newest requests ended early and cost nothing here.
  db.exec(
    `update requests set status = 'failed', error_code = 'upstream_timeout', charge = 0, prompt_tokens = 9
     where id in (select id from requests order by created desc limit 20)`,
  );
  db.close();
  const core = await testCore({ openGateway, dataFolder, now: () => now });
  onTestFinished(() => core.close());
  for (const [billingAccount, kinds] of [
    ['main', ['byok', 'estimated', 'uncharged', 'unknown']],
    ['sandbox', ['billed', 'byok', 'estimated', 'uncharged', 'unknown']],
  ] as const) {
    const asked = { billingAccount, period, groupBy: 'provenance' } as const;
    const { groups } = await core.client.usage.get(asked);
    const reported = new Map(groups?.map(({ id, requests }) => [id ?? '', requests]));
    const counted = new Map<string, number>();
    let unknownWithTokens = 0;
    for (let after: string | null | undefined; after !== null; ) {
      const page = await core.client.usage.requests({ ...asked, group: null, after });
      for (const { provenance, prompt_tokens, completion_tokens } of page.data) {
        counted.set(provenance, (counted.get(provenance) ?? 0) + 1);
        if (provenance === 'unknown' && prompt_tokens + completion_tokens > 0) unknownWithTokens += 1;
      }
      after = page.after;
    }
    expect([...reported].sort()).toEqual([...counted].sort());
    expect([...reported.keys()].sort()).toEqual(kinds);
    expect(groups?.map(({ id, cost_usd }) => [id, cost_usd === null])).toEqual(
      groups?.map(({ id }) => [id, id === 'unknown']),
    );
    // Requests of unknown cost are counted next to every sum, for every grouping.
    const unknownLines = counted.get('unknown') ?? 0;
    for (const groupBy of ['model', 'provider', 'status', 'conversation', 'provenance', 'key'] as const) {
      const report = await core.client.usage.get({ billingAccount, period, groupBy });
      const sum = (all: readonly { unknown: number | null }[]) =>
        all.reduce((total, { unknown }) => total + (unknown ?? 0), 0);
      expect(report.totals.unknown, groupBy).toBe(unknownLines);
      expect(sum(report.groups ?? []), groupBy).toBe(unknownLines);
      expect(sum(report.perDay ?? []), groupBy).toBe(unknownLines);
      for (const { unknown, share } of report.groups ?? []) expect(share === null, groupBy).toBe((unknown ?? 0) > 0);
    }
    // The account page and the usage page agree on the month.
    const month = { first: '2026-11-01', last: '2026-11-24', zone: 'UTC' };
    const { totals } = await core.client.usage.get({ billingAccount, period: month, groupBy: 'model' });
    const { usage } = await core.client.account.get({ billingAccount });
    expect(usage).toMatchObject({ requests: totals.requests, unknown_cost_requests: totals.unknown });
    if (billingAccount === 'main') expect(usage?.unfinished_requests).toBeGreaterThan(0);
    // So do what a metered account has spent, and the spending limits.
    const paying = (await core.client.account.wallets()).find(({ id }) => id === billingAccount);
    expect(paying?.unknown).toBe(billingAccount === 'main' ? unknownLines : 0);
    if (billingAccount === 'main') expect((await core.client.caps.get()).unknown.month).toBe(totals.unknown);
    const { failures } = await core.client.usage.insights({ billingAccount, period });
    const failed = (failures ?? []).reduce((total, failure) => total + failure.unknown, 0);
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(unknownLines);
    const unknown = { kind: 'named', id: 'unknown', provider: null } as const;
    const lines = await core.client.usage.requests({ ...asked, group: unknown });
    expect(new Set(lines.data.map(({ provenance }) => provenance))).toEqual(new Set(['unknown']));
    expect(lines.data.map(({ cost_usd }) => cost_usd)).toEqual(lines.data.map(() => null));
    const { models } = await core.client.catalogue.list();
    const priced = models.flatMap(({ id, pricing }) => (pricing ? [id] : [])).slice(0, 1);
    const compared = { billingAccount, start: Date.UTC(2026, 0, 1) - 3_600_000, end: now + 86_400_000, models: priced };
    expect((await core.client.whatIf.reprice(compared)).unknown).toBe(unknownWithTokens);
  }
});

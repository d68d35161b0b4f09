import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openGateway } from '#gateway/open-gateway.ts';
import { usageGrouping } from '#shared/contract/app/usage.ts';
import { addDays, dayIn } from '#shared/days.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { seed } from '../../seed/seed.ts';
import type { TestCore } from '../../support/core-of-test.ts';
import { testCore } from '../../support/test-core.ts';
import { type Reporter, toRow } from '../rows.ts';

interface DashboardsOptions {
  readonly requests: number;
  readonly rounds: number;
  readonly reporter: Reporter;
}

/**
 * One request of a page: its duration, and the longest time that the core's thread worked without a
 * break, in its processor time.
 */
interface Asked {
  readonly ms: number;
  readonly heldMs: number;
}

const [maxMs, maxHeldMs] = [1000, 50];

/**
 * Five and a half hours, so that no daily counter can answer, and without daylight saving time, so
 * that SQL needs no calendar.
 */
const [zone, offsetMs] = ['Asia/Kolkata', 5.5 * 3_600_000] as const;

/**
 * Requests every page about money from a core with a large ledger, as a window would. Throws if a total differs from
 * the sum that SQL calculates.
 */
export async function benchDashboards({ requests, rounds, reporter }: DashboardsOptions): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-dashboards-'));
  const nowMs = Date.now();
  try {
    const conversations = Math.ceil(requests / 250);
    const size = { conversations, messages: conversations * 8, long: 0, requests };
    reporter.doing(`writing ${requests} requests`);
    await seed({ dataFolder, ...size, seed: 1, nowMs, force: false });
    reporter.doing('opening the core');
    const core = await testCore({ openGateway, dataFolder });
    try {
      const today = dayIn(zone, nowMs);
      await askPages(core, { dataFolder, today, requests, rounds, reporter });
    } finally {
      await core.core.close();
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

interface Ground extends DashboardsOptions {
  readonly dataFolder: string;
  readonly today: string;
}

async function askPages({ client }: Pick<TestCore, 'client'>, ground: Ground): Promise<void> {
  const { dataFolder, today, requests, rounds, reporter } = ground;
  const billingAccount = 'main';
  const getPeriod = (days: number) => ({ first: addDays(today, 1 - days), last: today, zone });
  await client.models.list();
  await client.account.wallets();

  /** `reads` means that the page reads the requests themselves and not only their sums. */
  async function page(name: string, ask: () => Promise<unknown>, reads = true, times = rounds): Promise<void> {
    const asked: Asked[] = [];
    const floor: number[] = [];
    for (let round = 0; round < times; round += 1) {
      asked.push(await measured(ask));
      if (reads) floor.push(bySql(dataFolder, getPeriod(240)).ms);
    }
    const row = `${name}, of ${requests} requests`;
    const values = asked.map(({ ms }) => ms);
    const heldTimes = asked.map(({ heldMs }) => heldMs);
    const beside = reads ? { floor: { of: 'one sum over 240 days in SQL', values: floor } } : {};
    reporter.row(toRow({ row, unit: 'ms', values, atMost: maxMs, ...beside }));
    reporter.row({
      ...toRow({ row: `${row}: the core held`, unit: 'ms CPU', values: heldTimes, atMost: maxHeldMs }),
      aside: true,
    });
  }

  await page('account', () => client.account.get({ billingAccount }), false);
  await page('credits', () => client.credits.get({ billingAccount }), false);
  await page('caps', () => client.caps.get(), false);
  await page('reconciliation', () => client.reconciliation.get({ billingAccount, offset: 0, limit: 50 }));
  await page('bills by price, first', () => client.reconciliation.drift({ billingAccount }), true, 1);
  await page('bills by price, again', () => client.reconciliation.drift({ billingAccount }));
  for (const days of [30, 240]) {
    const period = getPeriod(days);
    const expected = bySql(dataFolder, period);
    for (const groupBy of usageGrouping.options) {
      await page(`usage, ${days} days by ${groupBy}`, async () => {
        const [{ totals }] = await Promise.all([
          client.usage.get({ billingAccount, period, groupBy }),
          client.usage.insights({ billingAccount, period }),
        ]);
        if (totals.cost_usd !== expected.cost || totals.requests !== expected.requests)
          throw new Error(`usage by ${groupBy} is ${JSON.stringify(totals)}, SQL says ${JSON.stringify(expected)}`);
      });
    }
  }
  const period = getPeriod(240);
  await page('the requests of a bar', () =>
    client.usage.requests({ billingAccount, period, groupBy: 'model', group: null }),
  );
}

/** The floor: the time that SQLite takes for one sum over the same requests, and that sum. */
function bySql(folder: string, { first, last }: { readonly first: string; readonly last: string }) {
  const db = new Sqlite(join(folder, 'gateway.db'), { readonly: true });
  try {
    const start = performance.now();
    const row = db
      .prepare(
        `select count(*) as requests, coalesce(sum(charge), 0) as charge from requests
        where account_id = (select id from accounts where name = 'Your keys')
          and date((created + ${offsetMs}) / 1000, 'unixepoch') between ? and ?`,
      )
      .safeIntegers()
      .get(first, last) as { readonly requests: bigint; readonly charge: bigint };
    const ms = performance.now() - start;
    return { ms, cost: formatUsd(nanoUsd(row.charge)), requests: Number(row.requests) };
  } finally {
    db.close();
  }
}

async function measured(ask: () => Promise<unknown>): Promise<Asked> {
  let [before, held] = [threadMs(), 0];
  const timer = setInterval(() => {
    const now = threadMs();
    held = Math.max(held, now - before);
    before = now;
  }, 2);
  const start = performance.now();
  await ask();
  const ms = performance.now() - start;
  clearInterval(timer);
  return { ms, heldMs: Math.max(held, threadMs() - before) };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

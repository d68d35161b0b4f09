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

/** What a page about money asks for, once, as a window would. */
export interface PageFigures {
  readonly page: string;
  readonly ms: number;
  /** Processor time of all threads: what the wall clock would show where nothing else runs, or less. */
  readonly cpuMs: number;
  /** The longest that the core's thread worked without looking at anything else, in milliseconds of its processor. */
  readonly heldMs: number;
}

/** Five and a half hours, so that no daily counter can answer; there is no summer time, so that SQL needs no calendar. */
const [zone, offsetMs] = ['Asia/Kolkata', 5.5 * 3_600_000] as const;

/** Asks a core with large books for each page about money. Throws where a total is not what SQL adds up. */
export async function benchPages(requests: number): Promise<PageFigures[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-pages-'));
  const nowMs = Date.now();
  try {
    const conversations = Math.ceil(requests / 250);
    await seed({
      dataFolder,
      conversations,
      messages: conversations * 8,
      long: 0,
      requests,
      seed: 1,
      nowMs,
      force: false,
    });
    const core = await testCore({ openGateway, dataFolder });
    try {
      return await askPages(core, dataFolder, nowMs);
    } finally {
      await core.core.close();
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function askPages({ client }: Pick<TestCore, 'client'>, folder: string, nowMs: number): Promise<PageFigures[]> {
  const today = dayIn(zone, nowMs);
  const wallet = 'main';
  const periodOf = (days: number) => ({ first: addDays(today, 1 - days), last: today, zone });
  const figures: PageFigures[] = [];
  await client.models.list();
  await client.account.wallets();

  figures.push(await measured('account', () => client.account.get({ wallet })));
  figures.push(await measured('credits', () => client.credits.get({ wallet })));
  figures.push(await measured('caps', () => client.caps.get()));
  figures.push(await measured('reconciliation', () => client.reconciliation.get({ wallet, offset: 0, limit: 50 })));
  figures.push(await measured('bills by price, first', () => client.reconciliation.drift({ wallet })));
  figures.push(await measured('bills by price, again', () => client.reconciliation.drift({ wallet })));
  for (const days of [30, 240]) {
    const period = periodOf(days);
    const expected = bySql(folder, period);
    for (const groupBy of usageGrouping.options) {
      const found = { cost: '', requests: -1 };
      const page = async () => {
        const [{ totals }] = await Promise.all([
          client.usage.get({ wallet, period, groupBy }),
          client.usage.insights({ wallet, period }),
        ]);
        Object.assign(found, { cost: totals.cost_usd, requests: totals.requests });
      };
      figures.push(await measured(`usage, ${days} days by ${groupBy}`, page));
      if (found.cost !== expected.cost || found.requests !== expected.requests)
        throw new Error(`usage by ${groupBy} is ${JSON.stringify(found)}, SQL says ${JSON.stringify(expected)}`);
    }
  }
  const period = periodOf(240);
  figures.push(
    await measured('the requests of a bar', () =>
      client.usage.requests({ wallet, period, groupBy: 'model', group: null }),
    ),
  );
  return figures;
}

function bySql(folder: string, { first, last }: { readonly first: string; readonly last: string }) {
  const db = new Sqlite(join(folder, 'gateway.db'), { readonly: true });
  try {
    const row = db
      .prepare(
        `select count(*) as requests, coalesce(sum(charge), 0) as charge from requests
        where account_id = (select id from accounts where name = 'Your keys')
          and date((created + ${offsetMs}) / 1000, 'unixepoch') between ? and ?`,
      )
      .safeIntegers()
      .get(first, last) as { readonly requests: bigint; readonly charge: bigint };
    return { cost: formatUsd(nanoUsd(row.charge)), requests: Number(row.requests) };
  } finally {
    db.close();
  }
}

async function measured(page: string, ask: () => Promise<unknown>): Promise<PageFigures> {
  let [before, held] = [threadMs(), 0];
  const look = setInterval(() => {
    const now = threadMs();
    held = Math.max(held, now - before);
    before = now;
  }, 2);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await ask();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(look);
  return { page, ms, cpuMs: (user + system) / 1000, heldMs: Math.max(held, threadMs() - before) };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function pagesTable(figures: readonly PageFigures[]): string {
  const [mostMs, mostHeldMs] = [1000, 50];
  const lines = figures.map(({ page, ms, cpuMs, heldMs }) => {
    const verdict = ms <= mostMs && heldMs <= mostHeldMs ? 'met' : 'missed';
    return `${page.padEnd(34)}${ms.toFixed(0).padStart(8)} ms${cpuMs.toFixed(0).padStart(8)} ms CPU${heldMs.toFixed(1).padStart(8)} ms held  ${verdict}`;
  });
  return `pages about money: at most ${mostMs} ms, the core's thread held for ${mostHeldMs} ms at most\n${lines.join('\n')}\n`;
}

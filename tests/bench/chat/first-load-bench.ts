import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from '@playwright/test';
import { type FirstLoad, measureFirstLoad } from '../../support/first-load.ts';
import { startWebProcess } from '../../support/web-process.ts';
import { type Reporter, toRow } from '../rows.ts';

const loads = 7;
const waits = { composer: 'the composer of a new chat', messages: 'the messages of a chat' } as const;

/** Measures the page from nothing until it can be used, through the web host, which must have been built. */
export async function benchFirstLoad(browser: Browser, reporter: Reporter): Promise<void> {
  reporter.doing('starting the web host');
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const main = fileURLToPath(new URL('../../../dist/main/web.js', import.meta.url));
  const web = await startWebProcess(main, ['--data-dir', folder]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  try {
    await page.goto(await web.freshLink());
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('What is a portico?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    const places = { composer: '#chat', messages: new URL(page.url()).hash };
    const empty = await emptyLoads(browser, new URL('/empty', page.url()).href);
    const measure = async (cores: 'free' | 'busy', until: keyof typeof waits) => {
      await page.evaluate((place) => {
        location.hash = place;
      }, places[until]);
      const measured: FirstLoad[] = [];
      for (let load = 0; load < loads; load += 1) measured.push(await measureFirstLoad(page, until));
      const row = `first load to ${waits[until]}, ${loads} times, cores ${cores}`;
      const values = measured.map(({ ms }) => ms);
      const bytes = (field: keyof FirstLoad) => measured.map((load) => load[field] / 1000);
      reporter.row(toRow({ row, unit: 'ms', values, floor: { of: 'empty page, cores free', values: empty } }));
      if (cores === 'busy') return;
      reporter.row(toRow({ row: `sent until ${waits[until]} stood there`, unit: 'KB', values: bytes('bytes') }));
      reporter.row(
        toRow({ row: `sent until nothing more came, ${waits[until]}`, unit: 'KB', values: bytes('allBytes') }),
      );
    };
    for (const until of ['composer', 'messages'] as const) await measure('free', until);
    const loops = Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;) Math.random()'], { stdio: 'ignore' }),
    );
    try {
      for (const until of ['composer', 'messages'] as const) await measure('busy', until);
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  } finally {
    await page.close();
    await web.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the floor: a page of the same host with only a text field. */
async function emptyLoads(browser: Browser, url: string): Promise<number[]> {
  const page = await browser.newPage();
  await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<textarea></textarea>' }));
  await page.goto(url);
  await measureFirstLoad(page, 'composer');
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) times.push((await measureFirstLoad(page, 'composer')).ms);
  await page.close();
  return times;
}

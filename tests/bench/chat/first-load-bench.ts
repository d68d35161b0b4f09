import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from '@playwright/test';
import { measureFirstLoad } from '../../support/first-load.ts';
import { startWebProcess } from '../../support/web-process.ts';
import { quantile } from './probe.ts';

const loads = 7;

export interface FirstLoadFigures {
  /** What else the machine does: nothing of ours, or a loop on every core. */
  readonly cores: 'free' | 'busy';
  /** What is waited for: the composer of a new chat, or the messages of one that is there. */
  readonly until: 'composer' | 'messages';
  readonly untilKB: number;
  readonly allKB: number;
  readonly p50Ms: number;
  readonly maxMs: number;
}

/** The page from nothing to what one waits for, through the web host, which has been built before. */
export async function benchFirstLoad(browser: Browser): Promise<FirstLoadFigures[]> {
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
    const measured = async (
      cores: FirstLoadFigures['cores'],
      until: FirstLoadFigures['until'],
    ): Promise<FirstLoadFigures> => {
      await page.evaluate((place) => {
        location.hash = place;
      }, places[until]);
      const each = [];
      for (let load = 0; load < loads; load += 1) each.push(await measureFirstLoad(page, until));
      const times = each.map(({ ms }) => ms);
      return {
        cores,
        until,
        untilKB: Math.max(...each.map(({ bytes }) => bytes)) / 1000,
        allKB: Math.max(...each.map(({ allBytes }) => allBytes)) / 1000,
        p50Ms: quantile(times, 0.5),
        maxMs: Math.max(...times),
      };
    };
    const free = [await measured('free', 'composer'), await measured('free', 'messages')];
    const loops = Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;) Math.random()'], { stdio: 'ignore' }),
    );
    try {
      return [...free, await measured('busy', 'composer'), await measured('busy', 'messages')];
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  } finally {
    await page.close();
    await web.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

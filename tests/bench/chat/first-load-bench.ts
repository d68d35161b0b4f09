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
  readonly usableKB: number;
  readonly allKB: number;
  readonly usableP50Ms: number;
  readonly usableMaxMs: number;
}

/** The page from nothing to a composer that can be used, through the web host, which has been built before. */
export async function benchFirstLoad(browser: Browser): Promise<FirstLoadFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const main = fileURLToPath(new URL('../../../dist/main/web.js', import.meta.url));
  const web = await startWebProcess(main, ['--data-dir', folder]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  try {
    await page.goto(await web.freshLink());
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const measured = async (cores: FirstLoadFigures['cores']): Promise<FirstLoadFigures> => {
      const each = [];
      for (let load = 0; load < loads; load += 1) each.push(await measureFirstLoad(page));
      const times = each.map(({ usableMs }) => usableMs);
      return {
        cores,
        usableKB: Math.max(...each.map(({ usableBytes }) => usableBytes)) / 1000,
        allKB: Math.max(...each.map(({ allBytes }) => allBytes)) / 1000,
        usableP50Ms: quantile(times, 0.5),
        usableMaxMs: Math.max(...times),
      };
    };
    const free = await measured('free');
    const loops = Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;) Math.random()'], { stdio: 'ignore' }),
    );
    try {
      return [free, await measured('busy')];
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  } finally {
    await page.close();
    await web.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { _electron as electron } from 'playwright';
import { startVirtualDisplay } from '../../support/virtual-display.ts';
import { quantile } from './probe.ts';

const seconds = 6;

export interface KeyFigures {
  /** What the core does meanwhile: nothing, write four answers, or stand still as in a long computation. */
  readonly core: 'idle' | 'writing' | 'stopped';
  readonly keys: number;
  readonly keyToPaintP50Ms: number;
  readonly keyToPaintP95Ms: number;
  readonly keyToPaintMaxMs: number;
}

/** Keys in the window of the installed app, which has been built before, while its core works. Empty: there is no Electron here. */
export async function benchKeys(): Promise<KeyFigures[]> {
  if (!process.env.PORTICO_ELECTRON) return [];
  const display = process.env.DISPLAY || process.platform !== 'linux' ? null : await startVirtualDisplay();
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const flags = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  const app = await electron.launch({
    args: [...flags, root, '--data-dir', folder],
    env: { ...process.env, ...(display ? { DISPLAY: display.name } : {}) } as Record<string, string>,
  });
  try {
    const page = await app.firstWindow();
    await page.getByRole('button', { name: 'Try it now' }).click();
    const figures = [await benchCore(page, 'idle')];
    for (let chat = 0; chat < 4; chat += 1) await beginAnswer(page);
    figures.push(await benchCore(page, 'writing'));
    const core = await app.evaluate(({ app: program }) =>
      program.getAppMetrics().find(({ name }) => name === 'Portico core'),
    );
    if (!core) throw new Error('the core has no process of its own');
    process.kill(core.pid, 'SIGSTOP');
    figures.push(await benchCore(page, 'stopped'));
    process.kill(core.pid, 'SIGCONT');
    return figures;
  } finally {
    await app.close();
    await display?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function beginAnswer(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  const picker = page.getByRole('combobox', { name: 'Model', exact: true });
  await picker.click();
  await page.getByPlaceholder(/^Search/).fill('Sandbox Slow');
  await page.getByRole('option', { name: 'Sandbox Slow' }).first().click();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Write slowly.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('log', { name: 'Conversation' }).getByRole('article').nth(1).waitFor();
}

/** From outside of the program: what the main process or the page keeps a key from is in it. */
async function benchCore(page: Page, core: KeyFigures['core']): Promise<KeyFigures> {
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill('');
  await message.focus();
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const pressed = performance.now();
    await page.keyboard.press('a');
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))));
    times.push(performance.now() - pressed);
  }
  return {
    core,
    keys: times.length,
    keyToPaintP50Ms: quantile(times, 0.5),
    keyToPaintP95Ms: quantile(times, 0.95),
    keyToPaintMaxMs: Math.max(...times),
  };
}

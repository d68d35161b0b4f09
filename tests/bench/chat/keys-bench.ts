import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { _electron as electron } from 'playwright';
import { startVirtualDisplay } from '../../support/virtual-display.ts';
import { type Reporter, toRow } from '../rows.ts';
import { quantile } from './probe.ts';

const seconds = 6;
const chats = 4;

/** What the core does while keys are measured. */
const states = {
  idle: 'the core is idle',
  writing: `the core writes ${chats} answers`,
  stopped: 'the core stands still, as in a long computation',
} as const;

/**
 * Measures keys in the window of the installed app, which must have been built, while its core works. Without
 * Electron there are no rows.
 */
export async function benchKeys(reporter: Reporter): Promise<void> {
  if (!process.env.PORTICO_ELECTRON)
    return reporter.doing('keys in the window are not measured: no Electron is installed');
  const display = process.env.DISPLAY || process.platform !== 'linux' ? null : await startVirtualDisplay();
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const flags = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  reporter.doing('starting the app');
  const app = await electron.launch({
    args: [...flags, root, '--data-dir', folder],
    env: { ...process.env, ...(display ? { DISPLAY: display.name } : {}) } as Record<string, string>,
  });
  try {
    const page = await app.firstWindow();
    await page.getByRole('button', { name: 'Try it now' }).click();
    const idle = await keyTimes(page);
    const measured = (core: keyof typeof states, times: readonly number[]) =>
      reporter.row(
        toRow({
          row: `keystroke to paint, 95th percentile of ${seconds} s of typing, while ${states[core]}`,
          unit: 'ms',
          values: [quantile(times, 0.95)],
          ...(core === 'idle' ? {} : { floor: { of: 'while idle', values: [quantile(idle, 0.95)] } }),
        }),
      );
    measured('idle', idle);
    reporter.doing(`beginning ${chats} answers`);
    for (let chat = 0; chat < chats; chat += 1) await beginAnswer(page);
    measured('writing', await keyTimes(page));
    const core = await app.evaluate(({ app: program }) =>
      program.getAppMetrics().find(({ name }) => name === 'Portico core'),
    );
    if (!core) throw new Error('the core has no process of its own');
    process.kill(core.pid, 'SIGSTOP');
    try {
      measured('stopped', await keyTimes(page));
    } finally {
      process.kill(core.pid, 'SIGCONT');
    }
  } finally {
    // If asked to close during answers, the app would ask a question. It obeys a signal.
    const ended = app.waitForEvent('close');
    app.process().kill('SIGTERM');
    await ended;
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

/** Measures from outside the program, so delays in the main process and in the page are both included. */
async function keyTimes(page: Page): Promise<number[]> {
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
  return times;
}

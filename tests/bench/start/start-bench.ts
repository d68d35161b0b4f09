import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { startVirtualDisplay } from '../../support/virtual-display.ts';
import { median, spreadOf } from '../gateway/statistics.ts';
import type { Ratios } from '../kept-results.ts';
import { cpuSecondsOf, memoryOf } from './process-tree.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const idleSeconds = 10;
const settleSeconds = 15;
const chats = 10;

export interface StartFigures {
  readonly program: 'portico' | 'empty window';
  /** Cold: a folder without data, and so without Chromium's caches. */
  readonly start: 'cold' | 'warm';
  /** Since the program was started. */
  readonly firstPaintMs: number;
  /** The composer takes words. */
  readonly interactiveMs: number | null;
}

export interface Footprint {
  /** Of one processor, with nothing to do. */
  readonly idleCpuPercent: number;
  /** All processes, what they share counted once. */
  readonly memoryMb: number;
  readonly emptyWindowMb: number;
  readonly openChats: number;
}

/** Starts of the installed app, which has been built before, beside a window with nothing in it. Null: there is no Electron here. */
export async function benchStart(rounds: number): Promise<{ starts: StartFigures[]; footprint: Footprint } | null> {
  const program = process.env.PORTICO_ELECTRON;
  if (!program) return null;
  const display = process.env.DISPLAY || process.platform !== 'linux' ? null : await startVirtualDisplay();
  const folder = mkdtempSync(join(tmpdir(), 'portico-start-'));
  const env = { ...process.env, ...(display ? { DISPLAY: display.name } : {}) };
  const empty = emptyApp(join(folder, 'empty'));
  const starts: StartFigures[] = [];
  const measure = async (name: StartFigures['program'], start: StartFigures['start'], data: string) => {
    const running = await open(program, [name === 'portico' ? root : empty, '--data-dir', data], env);
    starts.push({ program: name, start, ...(await timesOf(running)) });
    return running;
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['portico', 'empty window'] as const) {
        const data = join(folder, `${name}-${round}`);
        for (const start of ['cold', 'warm'] as const) await close(await measure(name, start, data));
      }
    }
    const app = await open(program, [root, '--data-dir', join(folder, 'portico-0')], env);
    await openChats(app.page);
    // What was put off until nobody waits is done by then.
    await new Promise((later) => setTimeout(later, settleSeconds * 1000));
    const before = cpuSecondsOf(app.pid);
    await new Promise((later) => setTimeout(later, idleSeconds * 1000));
    const idleCpuPercent = ((cpuSecondsOf(app.pid) - before) / idleSeconds) * 100;
    const memoryMb = memoryOf(app.pid);
    await close(app);
    const bare = await open(program, [empty, '--data-dir', join(folder, 'empty window-0')], env);
    await timesOf(bare);
    const emptyWindowMb = memoryOf(bare.pid);
    await close(bare);
    return { starts, footprint: { idleCpuPercent, memoryMb, emptyWindowMb, openChats: chats } };
  } finally {
    await display?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least that opens a window with words in it. */
function emptyApp(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","main":"main.cjs"}');
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Empty</title><p>Empty</p>');
  writeFileSync(
    join(folder, 'main.cjs'),
    `const { app, BrowserWindow } = require('electron');
const at = process.argv[process.argv.indexOf('--data-dir') + 1];
app.setPath('userData', at);
process.on('SIGTERM', () => app.quit());
app.whenReady().then(() => {
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true } });
  window.once('ready-to-show', () => window.show());
  window.loadFile('index.html');
});`,
  );
  return folder;
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly startedAt: number;
  readonly browser: Browser;
  readonly page: Page;
}

async function open(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const flags = ['--disable-gpu', '--remote-debugging-port=0', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const startedAt = Date.now();
  const child = spawn(program, [...flags, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (!child.stderr || child.pid === undefined) throw new Error('the program did not start');
  const lines = createInterface(child.stderr);
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
    lines.on('line', (line) => {
      const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  // Whoever connects before there is a window waits for ever.
  const list = `http://${new URL(address).host}/json/list`;
  const hasWindow = async () =>
    ((await (await fetch(list)).json()) as { type: string }[]).some(({ type }) => type === 'page');
  while (!(await hasWindow())) await new Promise((later) => setTimeout(later, 20));
  const browser = await chromium.connectOverCDP(address);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('the program has no window');
  return { child, pid: child.pid, startedAt, browser, page };
}

/** The page's own marks, on the clock of the machine. */
async function timesOf({ page, startedAt }: Running): Promise<Pick<StartFigures, 'firstPaintMs' | 'interactiveMs'>> {
  const marks = await page.evaluate(async () => {
    const isPortico = location.protocol === 'app:';
    const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime;
    for (;;) {
      const paint = at('first-contentful-paint');
      const shown = isPortico ? at('portico-shown') : null;
      if (paint !== undefined && shown !== undefined)
        return { paint: performance.timeOrigin + paint, shown: shown === null ? null : performance.timeOrigin + shown };
      await new Promise((later) => setTimeout(later, 20));
    }
  });
  return {
    firstPaintMs: marks.paint - startedAt,
    interactiveMs: marks.shown === null ? null : marks.shown - startedAt,
  };
}

async function close({ child, browser }: Running): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  await browser.close();
}

/** Writes chats and shows each of them. */
async function openChats(page: Page): Promise<void> {
  const start = page.getByRole('button', { name: 'Try it now' });
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.waitFor();
  if (await start.isVisible()) await start.click();
  for (let chat = 0; chat < chats; chat += 1) {
    await page.keyboard.press('ControlOrMeta+Shift+o');
    await message.fill(`Chat ${chat}: what is this?`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('log', { name: 'Conversation' }).getByRole('article').nth(1).waitFor();
  }
  for (const link of await page.getByRole('navigation', { name: 'Chats', exact: true }).getByRole('link').all())
    await link.click();
}

/** Of the window with nothing in it, start by start. */
export function startRatios({ starts, footprint }: NonNullable<Awaited<ReturnType<typeof benchStart>>>): Ratios {
  const paints = (program: StartFigures['program'], start: StartFigures['start']) =>
    starts.filter((one) => one.program === program && one.start === start).map(({ firstPaintMs }) => firstPaintMs);
  const ratios = Object.fromEntries(
    (['cold', 'warm'] as const).map((start) => {
      const empty = paints('empty window', start);
      const each = paints('portico', start).map((ms, round) => ms / (empty[round] ?? Number.NaN));
      return [`first paint, ${start}`, spreadOf(each)];
    }),
  );
  const memory = spreadOf([footprint.memoryMb / footprint.emptyWindowMb]);
  return { ...ratios, 'memory with ten chats open': memory };
}

/** Medians of the rounds. */
export function startTable({ starts, footprint }: NonNullable<Awaited<ReturnType<typeof benchStart>>>): string {
  const rows = (['portico', 'empty window'] as const).flatMap((program) =>
    (['cold', 'warm'] as const).map((start) => {
      const own = starts.filter((each) => each.program === program && each.start === start);
      const shown = own.flatMap(({ interactiveMs }) => interactiveMs ?? []);
      const paint = median(own.map(({ firstPaintMs }) => firstPaintMs)).toFixed(0);
      const interactive = shown.length > 0 ? median(shown).toFixed(0) : '–';
      return `${program.padEnd(14)}${start.padEnd(6)}${paint.padStart(12)}${interactive.padStart(16)}`;
    }),
  );
  const { idleCpuPercent, memoryMb, emptyWindowMb, openChats: open } = footprint;
  return [
    `start         ${' '.repeat(6)}${'paint, ms'.padStart(12)}${'interactive, ms'.padStart(16)}`,
    ...rows,
    `idle: ${idleCpuPercent.toFixed(1)} % of a processor over ${idleSeconds} s`,
    `memory with ${open} chats shown: ${memoryMb.toFixed(0)} MB (empty window: ${emptyWindowMb.toFixed(0)} MB)`,
    '',
  ].join('\n');
}

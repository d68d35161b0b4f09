import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { startVirtualDisplay } from '../../support/virtual-display.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The installed app, which must have been built, and an empty window. */
export type Program = 'portico' | 'empty window';

export interface Windows {
  /** Opens the program. `data` is the name of a folder, either new or left by an earlier start. */
  open(program: Program, data: string): Promise<Running>;
}

/** Calls `work` with a function that opens windows. Returns false if there is no Electron. */
export async function withWindows(work: (windows: Windows) => Promise<void>): Promise<boolean> {
  const electron = process.env.PORTICO_ELECTRON;
  if (!electron) return false;
  const display = process.env.DISPLAY || process.platform !== 'linux' ? null : await startVirtualDisplay();
  const folder = mkdtempSync(join(tmpdir(), 'portico-start-'));
  const env = { ...process.env, ...(display ? { DISPLAY: display.name } : {}) };
  const empty = emptyApp(join(folder, 'empty'));
  try {
    await work({
      open: (program, data) =>
        open(electron, [program === 'portico' ? root : empty, '--data-dir', join(folder, data)], env),
    });
  } finally {
    await display?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}

/** Makes the smallest app that opens a window with words in it. */
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

export interface Running {
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
  // A connection made before there is a window would wait for ever.
  const list = `http://${new URL(address).host}/json/list`;
  const hasWindow = async () =>
    ((await (await fetch(list)).json()) as { type: string }[]).some(({ type }) => type === 'page');
  while (!(await hasWindow())) await new Promise((later) => setTimeout(later, 20));
  const browser = await chromium.connectOverCDP(address);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('the program has no window');
  return { child, pid: child.pid, startedAt, browser, page };
}

/** Returns the page's own time marks, on the machine's clock. */
export async function getTimes({
  page,
  startedAt,
}: Running): Promise<{ firstPaintMs: number; interactiveMs: number | null }> {
  const marks = await page.evaluate(async () => {
    const isPortico = location.protocol === 'app:';
    const getStart = (name: string) => performance.getEntriesByName(name)[0]?.startTime;
    for (;;) {
      const paint = getStart('first-contentful-paint');
      const shown = isPortico ? getStart('portico-shown') : null;
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

export async function close({ child, browser }: Running): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  await browser.close();
}

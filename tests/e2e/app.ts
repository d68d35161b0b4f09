import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  type Page,
  type TestInfo,
} from '@playwright/test';
import { type ElectronApplication, _electron as electron } from 'playwright';
import { disagreements } from '../support/ledger-agrees.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { startVirtualDisplay } from '../support/virtual-display.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Removed from the environment, so that tests don't use the keys, keychain and providers of the machine they run on.
 */
const unset = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'OPENAI_BASE_URL', 'DBUS_SESSION_BUS_ADDRESS'];

export interface RunningApp {
  readonly page: Page;
  readonly dataFolder: string;
  /** The main process; null in the web host. */
  readonly main: ElectronApplication | null;
  /** Returns what the host has printed so far. */
  output(): string;
  /** Ends the app as its user would. */
  close(): Promise<void>;
  /** Closes the window immediately with its own button, so that the page can still save, and then ends the host. */
  leave(): Promise<void>;
  /** Ends the app with `kill -9`, so no handler runs. */
  kill(): Promise<void>;
}

export interface LaunchOptions {
  /** A data folder of an earlier run. Without one the app starts as on its first day. */
  readonly dataFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Simulated models write at the pace of real ones, for tests of what happens during an answer.
   * Otherwise they answer immediately.
   */
  readonly paced?: boolean;
  /** Command-line flags, in Electron only. */
  readonly flags?: readonly string[];
  /** What the system opens the program with, in Electron only. */
  readonly opens?: readonly string[];
}

type Launch = (options?: LaunchOptions) => Promise<RunningApp>;
type Started = LaunchOptions & { readonly dataFolder: string };
type Start = (options: Started) => Promise<RunningApp>;

/**
 * The fixtures of the end-to-end tests. `launch()` starts the built app in this project's host; an app that a test
 * leaves running is ended after it, and then its chats and the ledger must agree. `app` is an app that all tests of a
 * file share, for tests that need neither a first start nor an end of the app (`test.describe.configure` in the file).
 * It starts with the options in `starts`, set by `test.use`; without an `env` of its own, "Try it now" was already
 * pressed. `upstream` is a mock of the providers that has received nothing yet.
 */
export const test = base.extend<
  { launch: Launch; folder: string; starts: LaunchOptions; app: RunningApp; upstream: Upstream },
  {
    display: undefined;
    openBrowser: () => Promise<Browser>;
    mock: Upstream;
    getApp: (key: string, options: LaunchOptions, start: Start) => Promise<RunningApp>;
  }
>({
  starts: [{}, { option: true }],
  display: [
    async ({ browserName: _ }, use) => {
      const display = process.env.PORTICO_VIRTUAL_DISPLAYS ? await startVirtualDisplay() : null;
      if (display) process.env.DISPLAY = display.name;
      await use(undefined);
      await display?.stop();
    },
    { scope: 'worker', auto: true },
  ],
  // Electron tests need no browser, and the others need only one: each start of an app has a context of its own in it.
  openBrowser: [
    async ({ playwright, launchOptions }, use) => {
      let browser: Promise<Browser> | undefined;
      await use(() => {
        browser ??= playwright.chromium.launch(launchOptions);
        return browser;
      });
      await (await browser)?.close();
    },
    { scope: 'worker' },
  ],
  mock: [
    async ({ browserName: _ }, use) => {
      const mock = await startUpstream();
      await use(mock);
      await mock.stop();
    },
    { scope: 'worker' },
  ],
  upstream: async ({ mock }, use) => {
    mock.forget();
    await use(mock);
  },
  getApp: [
    async ({ browserName: _ }, use) => {
      let shared: { key: string; folder: string; app: RunningApp } | undefined;
      const end = async () => {
        if (!shared) return;
        await endAll([shared.app]);
        await rm(shared.folder, { recursive: true, force: true });
      };
      await use(async (key, options, start) => {
        if (shared?.key === key) return shared.app;
        await end();
        const folder = await mkdtemp(join(tmpdir(), 'portico-e2e-'));
        shared = { key, folder, app: await start({ ...options, dataFolder: join(folder, 'data') }) };
        if (!options.env) await shared.app.page.getByRole('button', { name: 'Try it now' }).click();
        return shared.app;
      });
      await end();
    },
    { scope: 'worker' },
  ],
  app: async ({ getApp, starts, openBrowser, contextOptions }, use, info) => {
    const key = JSON.stringify([info.file, info.repeatEachIndex, starts]);
    await use(await getApp(key, starts, (options) => start(info, options, openBrowser, contextOptions)));
  },
  folder: async ({ browserName: _ }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-e2e-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  launch: async ({ folder, openBrowser, contextOptions }, use, info) => {
    const running: RunningApp[] = [];
    await use(async (options) => {
      const app = await start(info, { dataFolder: join(folder, 'data'), ...options }, openBrowser, contextOptions);
      running.push(app);
      return app;
    });
    await endAll(running);
  },
});

async function start(
  { project }: TestInfo,
  { dataFolder, env = {}, paced = false, flags = [], opens = [] }: Started,
  openBrowser: () => Promise<Browser>,
  contextOptions: BrowserContextOptions,
): Promise<RunningApp> {
  const pace = { PORTICO_SIMULATED_PACE: paced ? '1' : '0' };
  const clean = { ...process.env, ...pace, ...env } as Record<string, string>;
  for (const name of unset) if (!(name in env)) delete clean[name];
  if (project.name === 'electron') return startElectron(dataFolder, clean, flags, opens);
  // A browser with a window lets a page copy while a person uses it. A headless browser asks for
  // permission, and nobody would answer.
  const options = { ...contextOptions, permissions: ['clipboard-write'] };
  return startWeb(dataFolder, clean, async () => (await openBrowser()).newContext(options));
}

async function endAll(running: readonly RunningApp[]): Promise<void> {
  for (const app of running) await app.close();
  for (const dataFolder of new Set(running.map((app) => app.dataFolder)))
    base.expect(disagreements(dataFolder)).toEqual([]);
}

export { expect } from '@playwright/test';

async function startWeb(
  dataFolder: string,
  env: Record<string, string>,
  open: () => Promise<BrowserContext>,
): Promise<RunningApp> {
  const entry = join(root, 'dist', 'main', 'web.js');
  // The same program starts about a hundred times, so its compiled code is cached.
  const compiled = { NODE_COMPILE_CACHE: join(root, '.cache', 'node') };
  const child = spawn(process.execPath, [entry, '--no-open', '--data-dir', dataFolder], {
    env: { ...env, ...compiled },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      const link = /http:\/\/127\.0\.0\.1:\S+/.exec(line);
      if (link) resolve(link[0]);
    });
    createInterface(child.stderr).on('line', (line) => lines.push(line));
    child.once('exit', (code) => reject(new Error(`the web host ended with ${code}:\n${lines.join('\n')}`)));
  });
  const context = await open();
  const page = await context.newPage();
  await page.goto(url);
  return {
    page,
    dataFolder,
    main: null,
    output: () => lines.join('\n'),
    async close() {
      await context.close();
      await end(child, 'SIGTERM');
    },
    async leave() {
      const closed = page.waitForEvent('close');
      await page.close({ runBeforeUnload: true });
      await closed;
      await context.close();
      await end(child, 'SIGTERM');
    },
    async kill() {
      await end(child, 'SIGKILL');
      await context.close();
    },
  };
}

async function startElectron(
  dataFolder: string,
  env: Record<string, string>,
  more: readonly string[],
  opens: readonly string[],
): Promise<RunningApp> {
  const flags = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  // `executablePath` isn't set: only without it does Playwright pause the app until it's attached, and so misses
  // nothing of the start.
  const app = await electron.launch({ args: [...flags, ...more, root, '--data-dir', dataFolder, ...opens], env });
  const child = app.process();
  const lines: string[] = [];
  let killed = false;
  child.stdout?.on('data', (chunk) => lines.push(String(chunk)));
  child.stderr?.on('data', (chunk) => lines.push(String(chunk)));
  // The default timeout in an Electron window differs from that on a page. 0 removes it, so that the test's own limit
  // applies as on a page.
  app.context().setDefaultTimeout(0);
  return {
    page: await app.firstWindow(),
    dataFolder,
    main: app,
    output: () => lines.join(''),
    close: async () => {
      if (child.signalCode !== null && !killed) {
        throw new Error(`the program was ended by ${child.signalCode}:\n${lines.join('')}`);
      }
      if (child.exitCode !== null || child.signalCode !== null) return;
      await answerBoxes(app, 'Quit now');
      await app.close();
    },
    async leave() {
      const exited = once(child, 'exit');
      const close = ({ BrowserWindow }: typeof Electron.CrossProcessExports) =>
        BrowserWindow.getAllWindows()
          .find((window) => window.isVisible())
          ?.close();
      await app.evaluate(close).catch(() => {});
      await exited;
    },
    async kill() {
      killed = true;
      await end(child, 'SIGKILL');
    },
  };
}

/** Makes every message box of the system answer with this button from now on. */
export const answerBoxes = (app: ElectronApplication, button: string) =>
  app.evaluate(({ dialog }, wanted) => {
    const answer = (...given: unknown[]) => {
      const { buttons = [] } = given.at(-1) as Electron.MessageBoxOptions;
      return Promise.resolve({ response: buttons.indexOf(wanted), checkboxChecked: false });
    };
    Object.assign(dialog, { showMessageBox: answer });
  }, button);

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

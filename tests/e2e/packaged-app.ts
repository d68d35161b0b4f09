import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, errors, expect, type Page } from '@playwright/test';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packages the app as `npm run package -- --linux dir` does. Returns the program's folder. */
export function packageApp(output: string, env: Readonly<Record<string, string>>): string {
  execFileSync('npm', ['run', 'package', '--', '--linux', 'dir', `-c.directories.output=${output}`], {
    cwd: root,
    stdio: 'pipe',
    env: { ...process.env, ...env },
  });
  execFileSync('npm', ['run', 'package', '--', '--check', output], { cwd: root, stdio: 'pipe' });
  const unpacked = join(output, 'linux-unpacked');
  // On a machine that has an older Electron than the one that ships, this makes the native modules load in it.
  const adapt = process.env.PORTICO_ADAPT_PACKAGE;
  if (adapt && existsSync(adapt)) execFileSync(adapt, [unpacked]);
  return unpacked;
}

/**
 * Makes a copy of the program with one changed word, so that a test can control it: the shipped program accepts no
 * debugging flag. The replacement has the same length, so the archive's table of offsets stays valid.
 */
export function openedCopy(unpacked: string, copy: string): string {
  linkAll(unpacked, copy);
  const [taken, wanted] = ['"force-device-scale-factor"', '"remote-debugging-port"'];
  rewrite(join(copy, 'resources', 'app.asar'), taken, wanted.padEnd(taken.length));
  return copy;
}

/** Copies all files as hard links. That takes no time, but a change must replace a file instead of writing into it. */
export const linkAll = (from: string, to: string) => execFileSync('cp', ['-al', from, to]);

/** Replaces the only occurrence of these bytes with others of the same length, in a new file. */
export function rewrite(file: string, before: string, after: string): void {
  const bytes = readFileSync(file);
  const offset = bytes.indexOf(before);
  expect({ found: offset > 0, again: bytes.indexOf(before, offset + 1), length: after.length }).toEqual({
    found: true,
    again: -1,
    length: before.length,
  });
  bytes.write(after, offset);
  rmSync(file);
  writeFileSync(file, bytes);
}

export const flags = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];

/** Starts a packaged program. It has no Node inspector (its fuses are off), so it's controlled like any Chromium. */
export async function startPackaged(program: string, dataFolder: string, env: Readonly<Record<string, string>>) {
  const child = spawn(program, [...flags, '--remote-debugging-port=0', '--data-dir', dataFolder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { browser, page } = await drive(await endpoint(child));
  return {
    page,
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await browser.close();
    },
  };
}

/** Returns the window of the Chromium that listens on this address. */
export async function drive(debugging: string) {
  // Connecting before there is a window never returns.
  await expect.poll(() => windows(debugging)).toBe(1);
  const browser = await connected(debugging);
  const context = browser.contexts()[0];
  if (!context) throw new Error('the packaged app has no window');
  const page: Page = context.pages()[0] ?? (await context.waitForEvent('page'));
  return {
    browser,
    page,
    /** Ends a program that isn't a child of this process, as its window's own button does. */
    async end() {
      const closed = page.waitForEvent('close');
      await page.evaluate(() => window.close());
      await closed;
      await browser.close();
    },
  };
}

/** If a window is replaced while Playwright attaches to it, Playwright gets no answer and tries again. */
async function connected(debugging: string, triesLeft = 6): Promise<Browser> {
  try {
    return await chromium.connectOverCDP(debugging, { timeout: 20_000 });
  } catch (error) {
    if (!(error instanceof errors.TimeoutError) || triesLeft === 1) throw error;
    return connected(debugging, triesLeft - 1);
  }
}

async function windows(debugging: string): Promise<number> {
  const list = await fetch(`http://${new URL(debugging).host}/json/list`);
  return ((await list.json()) as { type: string }[]).filter(({ type }) => type === 'page').length;
}

async function endpoint(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('no output');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    const found = /DevTools listening on (ws:\S+)/.exec(line);
    if (found?.[1]) {
      child.stderr.resume();
      return found[1];
    }
    lines.push(line);
  }
  throw new Error(`the packaged app ended:\n${lines.join('\n')}`);
}

/** Returns the debugging address that a program wrote into its log, at its first start (0) or a later one. */
export async function endpointIn(log: string, start: number): Promise<string> {
  const written = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  const found = () => [...written().matchAll(/DevTools listening on (ws:\S+)/g)][start]?.[1];
  // If the address never comes, the failure shows what the program printed instead.
  await expect.poll(() => (found() ? 'listens' : written())).toBe('listens');
  return found() ?? '';
}

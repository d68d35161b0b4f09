import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageReader } from '#core/tools/built-in/page-reader.ts';
import { openCanary } from '../support/canary.ts';
import { figure } from '../support/figures.ts';
import { freePort } from '../support/free-port.ts';
import { hasBrowser, launchBrowser } from '../support/test-browser.ts';
import { asScript, waysOut } from '../support/ways-out.ts';
import { tradeLink } from '../support/web-page.ts';
import { runToEnd, startWebProcess, type WebProcess } from '../support/web-process.ts';
import { builtHosts } from './built-hosts.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-web-'));
let main: string;
beforeAll(async () => {
  main = (await builtHosts()).webMain;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the worker that reads web pages is built with the host', async () => {
  const bytes = new Uint8Array(Buffer.from('<p>Hello <b>page</b>'));
  const readPage = pageReader(join(dirname(main), 'page-worker.js'));
  const page = { bytes, contentType: 'text/html', charset: null };
  expect(await readPage(page, new AbortController().signal)).toEqual({ text: 'Hello page', characters: 10 });
});

describe('the command', () => {
  test('refuses invalid arguments with one sentence and exit code 2', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const refused = async (...args: string[]) => {
      const { code, stderr } = await runToEnd(main, args);
      expect(code, stderr).toBe(2);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      return stderr;
    };
    expect(await refused('--prot', '1')).toContain("Unknown option '--prot'");
    expect(await refused('--port', '70000')).toContain('--port must be a number from 0 to 65535');
    expect(await refused('--data-dir', join(folder, 'a-file', 'x'))).toContain('cannot be written');
  });

  test('prints a note about a problem in its folder, and continues', async () => {
    const dataDir = join(folder, 'noted');
    mkdirSync(join(dataDir, 'words.log'), { recursive: true });
    const web = await startWebProcess(main, ['--data-dir', dataDir]);
    expect(web.output()).toContain(`Note: ${join(dataDir, 'words.log')} is not a file that Portico can write`);
    expect(await web.kill('SIGTERM')).toBe(0);
  });

  test('reports a folder or port that is taken, and releases both when it ends', async () => {
    const dataDir = join(folder, 'taken');
    const first = await startWebProcess(main, ['--data-dir', dataDir, '--port', String(await freePort())]);
    const { port } = new URL(first.link());
    expect(await runToEnd(main, ['--data-dir', dataDir])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already running'),
    });
    const other = await runToEnd(main, ['--data-dir', join(folder, 'other'), '--port', port]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port} is used`) });
    expect(await first.kill('SIGTERM')).toBe(0);
    const again = await startWebProcess(main, ['--data-dir', dataDir, '--port', port]);
    expect(await again.kill('SIGINT')).toBe(0);
  });

  test.runIf(process.platform === 'linux')(
    'opens a browser with a file that only this user can read, never with the link on the command line',
    async () => {
      const opener = mkdtempSync(join(folder, 'opener-'));
      const opened = join(opener, 'opened');
      writeFileSync(
        join(opener, 'xdg-open'),
        `#!/bin/sh\necho "$*" > ${opened}.part\n/bin/mv ${opened}.part ${opened}\n`,
        {
          mode: 0o755,
        },
      );
      const running = await startWebProcess(main, ['--data-dir', join(folder, 'opened')], {}, { opener });
      await expect.poll(() => existsSync(opened)).toBe(true);
      const address = readFileSync(opened, 'utf8').trim();
      expect(address).toMatch(/^file:\/\/\/[^#]+\.html$/);
      expect(statSync(fileURLToPath(address)).mode & 0o777).toBe(0o600);
      const link = /url=(http:[^"]+)"/.exec(readFileSync(fileURLToPath(address), 'utf8'))?.[1] ?? '';
      // The browser's link and the printed link are different.
      expect(link).not.toBe(running.link());
      for (const wayIn of [link, running.link()])
        expect(await tradeLink(wayIn)).toMatchObject({ status: 200, proved: true });
      expect(await running.kill('SIGTERM')).toBe(0);
      expect(existsSync(fileURLToPath(address))).toBe(false);
    },
  );

  test('keeps its files private to this user, even in a folder that others may read', async () => {
    const dataDir = join(folder, 'open');
    mkdirSync(dataDir, { mode: 0o755 });
    const running = await startWebProcess(main, ['--data-dir', dataDir]);
    for (const file of ['portico.db', 'gateway.db', 'logs/portico.log']) {
      const mode = () => statSync(join(dataDir, file), { throwIfNoEntry: false })?.mode ?? 0o777;
      await expect.poll(() => mode() & 0o077, { message: file }).toBe(0);
    }
    await running.kill('SIGTERM');
  });
});

describe.skipIf(!hasBrowser('The web host in a browser is'))('in a browser', () => {
  const dataDir = join(folder, 'browser');
  let web: WebProcess;
  let browser: Browser;
  beforeAll(async () => {
    web = await startWebProcess(main, ['--data-dir', dataDir, '--port', String(await freePort())]);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await web?.kill('SIGTERM');
  });
  const connected = { timeout: 30_000 };

  test('the printed link connects a page, vanishes from its address and survives a reload', async () => {
    const link = await web.freshLink();
    const page = await browser.newPage();
    await page.goto(link);
    await page.waitForFunction(() => 'core' in window, null, connected);
    expect(page.url()).toBe(new URL('/', link).href);
    expect(await page.evaluate(() => window.core.app.info())).toMatchObject({ host: 'web', dataFolder: dataDir });
    await page.reload();
    await page.waitForFunction(() => 'core' in window, null, connected);
    expect(await page.context().cookies()).toEqual([]);
    const leaked = readFileSync(join(dataDir, 'logs/portico.log'), 'utf8').includes(link.split('#b=')[1] ?? '');
    expect(leaked).toBe(false);
    await page.context().close();
  });

  test('a used link and a bare address lead to the page that explains how to connect', async () => {
    const used = await web.freshLink();
    const first = await browser.newPage();
    await first.goto(used);
    await first.waitForFunction(() => 'core' in window, null, connected);
    for (const address of [used, new URL('/', used).href]) {
      const page = await (await browser.newContext()).newPage();
      await page.goto(address);
      await page.getByRole('heading', { name: 'This page is not connected to Portico' }).waitFor();
      await page.context().close();
    }
    const second = await browser.newPage();
    await second.goto(await web.freshLink());
    await second.waitForFunction(() => 'core' in window, null, connected);
  });

  test('a page that only lost its socket keeps its session', async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      const { WebSocket: Original } = window;
      window.WebSocket = class extends Original {
        constructor(url: string | URL, protocols?: string | string[]) {
          super(url, protocols);
          document.addEventListener('drop-socket', () => this.close());
        }
      };
    });
    await page.goto(await web.freshLink());
    await page.waitForFunction(() => 'core' in window, null, connected);
    await page.evaluate(() => document.dispatchEvent(new Event('drop-socket')));
    await page.waitForFunction(() => window.lost, null, connected);
    await page.reload();
    await page.waitForFunction(() => 'core' in window, null, connected);
  });

  test('the page cannot reach other servers', async () => {
    const page = await browser.newPage();
    await page.goto(await web.freshLink());
    await page.waitForFunction(() => 'core' in window, null, connected);
    const outcome = await page.evaluate(() =>
      fetch('http://127.0.0.1:1/').then(
        () => 'open',
        () => 'closed',
      ),
    );
    expect(outcome).toBe('closed');
    expect(await page.evaluate(() => window.violations)).toContain('connect-src');
  });

  test(`of ${Object.keys(waysOut).length} ways out of the page, content gets through only with a bare connection`, async () => {
    const canary = await openCanary();
    const bare = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><body>');
    });
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
    // A page without a policy, as a control: a way that fails there proves nothing here.
    const open = await browser.newPage();
    await open.goto(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`);
    await open.evaluate(asScript(`${canary.origin}/control`));
    const control = () => new Set(canary.received().paths.filter((path) => path.startsWith('/control'))).size;
    await expect.poll(control).toBeGreaterThanOrEqual(28);

    const page = await browser.newPage();
    await page.goto(await web.freshLink());
    await page.waitForFunction(() => 'core' in window, null, connected);
    const before = canary.received().paths.length;
    await page.evaluate(asScript(`${canary.origin}/fenced`));
    // By the time that this last request arrives, each way has either been refused by name or has sent its request.
    await page.evaluate(() => fetch('/', { cache: 'no-store' }));
    await expect.poll(() => page.evaluate(() => window.violations.length)).toBeGreaterThan(25);
    await open.evaluate((url) => fetch(url, { mode: 'no-cors' }), `${canary.origin}/last`);
    expect(
      canary
        .received()
        .paths.slice(before)
        .filter((path) => path !== '/last'),
    ).toEqual([]);
    figure(
      'fence of the page',
      `${Object.keys(waysOut).length} ways out, ${control()} of them open without a policy, 0 in the browser host`,
    );
    bare.close();
    await canary.close();
  });

  test('a page notices that the core is gone, and after a restart explains how to connect', async () => {
    const { port } = new URL(web.link());
    const page = await browser.newPage();
    await page.goto(await web.freshLink());
    await page.waitForFunction(() => 'core' in window, null, connected);
    await web.kill('SIGKILL');
    await page.waitForFunction(() => window.lost, null, connected);
    web = await startWebProcess(main, ['--data-dir', dataDir, '--port', port]);
    await page.reload();
    await page.getByRole('heading', { name: 'This page is not connected to Portico' }).waitFor();
  });
});

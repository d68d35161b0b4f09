import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openCanary } from '../support/canary.ts';
import { figure } from '../support/figures.ts';
import { asScript, waysOut } from '../support/ways-out.ts';
import { builtHosts } from './built-hosts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binary = electronBinary();
const display = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
const why = !binary ? 'no Electron runtime is installed' : !display ? 'there is no display' : null;
if (why) console.warn(`Electron tests skipped: ${why}.`);

describe.skipIf(why)('the Electron host', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-electron-'));
  let app: ElectronApplication;
  let page: Page;
  beforeAll(async () => {
    const { folder } = await builtHosts();
    app = await electron.launch({
      args: ['--no-sandbox', '--disable-gpu', folder, '--data-dir', dataFolder],
      env: { ...cleanEnv(), OPENAI_API_KEY: 'sk-canary-0123456789abcdef' },
    });
    page = await app.firstWindow();
    await page.waitForFunction(() => 'core' in window);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  test('the page comes from its own scheme and reaches the core through its port', async () => {
    expect(page.url()).toBe('app://portico/index.html');
    const info = await page.evaluate(() => window.core.app.info());
    expect(info).toMatchObject({ host: 'electron', version: '9.8.7', dataFolder, notices: [] });
  });

  test('an answer is streamed to the window and billed', async () => {
    const answer = await page.evaluate(async () => {
      const { core } = window;
      const started = await core.chat.send({ messageId: 'e1', text: 'Echo this.', model: 'sandbox/echo' });
      for await (const event of await core.chat.watch({ conversationId: started.conversationId })) {
        if (event.type === 'message-updated') return event.message;
      }
      return null;
    });
    expect(answer).toMatchObject({ text: 'Echo this.', status: 'done', costSource: 'billed', simulated: true });
  });

  test('the page has no Node, no network and cannot navigate away', async () => {
    const found = await page.evaluate(async () => {
      const outcome = (promise: Promise<unknown>) =>
        promise.then(
          () => 'open',
          () => 'closed',
        );
      return {
        node: ['require', 'process', 'Buffer', 'ipcRenderer'].filter((name) => name in window),
        network: await outcome(fetch('https://example.com/')),
        file: await outcome(fetch('file:///etc/passwd')),
        traversal: (await fetch('app://portico/../main/main.js').catch(() => null))?.status ?? 'closed',
        opened: window.open('https://user:pass@example.com/') === null,
        camera: await outcome(
          navigator.mediaDevices?.getUserMedia({ video: true }) ?? Promise.reject(new Error('none')),
        ),
      };
    });
    expect(found).toMatchObject({ node: [], network: 'closed', file: 'closed', opened: true, camera: 'closed' });
    expect(found.traversal).not.toBe(200);
    expect(await page.evaluate(() => window.violations)).toContain('connect-src');
    await page.evaluate(() => location.assign('https://example.com/')).catch(() => {});
    expect(page.url()).toBe('app://portico/index.html');
  });

  test('content of the page finds no way to a server', async () => {
    const canary = await openCanary();
    const before = await page.evaluate(() => window.violations.length);
    await page.evaluate(asScript(`${canary.origin}/fenced`));
    await expect.poll(() => page.evaluate(() => window.violations.length)).toBeGreaterThan(before + 25);
    // One of the ways is a link with a ping, which leads to a place within the page.
    expect(page.url()).toBe('app://portico/index.html#');
    await page.evaluate(() => history.replaceState(null, '', location.pathname));
    expect(canary.received().paths).toEqual([]);
    figure('fence of the page', `${Object.keys(waysOut).length} ways out, 0 in Electron`);
    await canary.close();
  });

  test('an inline script does not run', async () => {
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      try {
        script.textContent = 'window.ran = true';
        document.body.append(script);
      } catch {
        // Trusted Types already refused the assignment.
      }
      return 'ran' in window;
    });
    expect(ran).toBe(false);
  });

  test('a key from the environment is used and never shown', async () => {
    const providers = await page.evaluate(() => window.core.providers.list());
    expect(providers[0]).toMatchObject({ id: 'openai', storage: 'environment', keyHint: 'sk-…cdef' });
    expect(JSON.stringify(providers)).not.toContain('canary');
  });

  test('the window has the restrictions that the security page promises', async () => {
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      // Electron has this method, but its types omit it.
      const contents = window?.webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
      return contents.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
    });
    expect(preferences.nodeIntegrationInWorker ?? false).toBe(false);
  });

  test('only the page is served, with the headers of the security page', async () => {
    const served = await app.evaluate(async ({ session }) => {
      const ask = (url: string, method = 'GET') => session.defaultSession.fetch(url, { method });
      const page = await ask('app://portico/index.html');
      const others = [
        'app://elsewhere/index.html',
        'app://portico/../main/main.js',
        'app://portico/%2e%2e/package.json',
      ];
      const statuses = await Promise.all([...others.map((url) => ask(url)), ask('app://portico/index.html', 'POST')]);
      return { headers: Object.fromEntries(page.headers), statuses: statuses.map(({ status }) => status) };
    });
    expect(served.statuses).toEqual([404, 404, 404, 404]);
    expect(served.headers['content-security-policy']?.split('; ')).toEqual([
      ...[
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
      ],
      // The only frame is our own sandboxed one, which draws diagrams.
      ...["connect-src 'none'", "worker-src 'self'", "frame-src 'self'", "object-src 'none'", "base-uri 'none'"],
      ...[
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types portico',
      ],
    ]);
    expect(served.headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'permissions-policy': expect.stringContaining('camera=(), microphone=(), geolocation=()'),
    });
  });

  test('every permission except copying is denied, and there is no service worker, no webview and no device', async () => {
    const found = await page.evaluate(async () => {
      const names = [
        'geolocation',
        'notifications',
        'camera',
        'microphone',
        'clipboard-read',
        'midi',
        'persistent-storage',
      ];
      const states = names.map((name) => navigator.permissions.query({ name: name as PermissionName }));
      const worker = navigator.serviceWorker?.register('worker.js').then(
        () => 'registered',
        () => 'refused',
      );
      interface Devices {
        requestDevice?(asked: object): Promise<unknown>;
        requestPort?(): Promise<unknown>;
      }
      const { usb, hid, serial, bluetooth } = navigator as unknown as Record<string, Devices | undefined>;
      // Playwright evaluates this as if a person had clicked. Without a click nothing would be requested.
      const asked = [
        ...[usb, hid].map((device) => device?.requestDevice?.({ filters: [] })),
        bluetooth?.requestDevice?.({ acceptAllDevices: true }),
        serial?.requestPort?.(),
      ];
      const devices = asked.map((request) =>
        Promise.resolve(request).then(
          (given) => (given === undefined || (Array.isArray(given) && given.length === 0) ? 'none' : 'given'),
          (error: DOMException) => error.name,
        ),
      );
      return {
        states: (await Promise.all(states)).map(({ state }) => state),
        worker: (await worker) ?? 'refused',
        webview: 'loadURL' in document.createElement('webview'),
        devices: await Promise.all(devices),
        policed: ['usb', 'hid', 'serial', 'bluetooth'].filter((name) =>
          (
            document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } }
          ).featurePolicy.allowsFeature(name),
        ),
        notice: await Notification.requestPermission(),
      };
    });
    expect(new Set(found.states)).toEqual(new Set(['denied']));
    expect(found).toMatchObject({ worker: 'refused', webview: false, notice: 'denied', policed: [] });
    expect(found.devices.filter((outcome) => outcome !== 'none' && outcome !== 'SecurityError')).toEqual([]);
  });

  test('only the main frame of our page gets a port', async () => {
    const answered = await app.evaluate(({ ipcMain }) => {
      const ask = async (origin: string | null, isMain: boolean) => {
        let given = false;
        const frame = { origin, postMessage: () => (given = true) };
        const sender = { mainFrame: isMain ? frame : {}, isDestroyed: () => false };
        ipcMain.emit('portico:ask', { sender, senderFrame: origin === null ? null : frame });
        for (let wait = 0; wait < 20; wait += 1) await new Promise((next) => setTimeout(next));
        return given;
      };
      return Promise.all([
        ask('app://portico', true),
        ask('app://portico', false),
        ...['https://portico', 'app://elsewhere', 'null', 'file://'].map((origin) => ask(origin, true)),
        ask(null, true),
      ]);
    });
    expect(answered).toEqual([true, false, false, false, false, false, false]);
  });

  test('links that a page opens go outside through one guard, and never open a second window', async () => {
    await app.evaluate(({ shell }) => {
      const opened: string[] = [];
      Object.assign(globalThis, { opened });
      Object.assign(shell, { openExternal: async (url: string) => void opened.push(url) });
    });
    await page.evaluate(() => {
      const refused = [
        'file:///etc/passwd',
        'javascript:alert(1)',
        'smb://host/share',
        'portico://chat',
        'data:text/html,x',
      ];
      for (const url of [...refused, 'about:blank', 'app://portico/index.html', 'https://example.com/a'])
        window.open(url);
    });
    const opened = () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
    await expect.poll(opened).toEqual(['https://example.com/a']);
    const contents = await app.evaluate(({ webContents }) => webContents.getAllWebContents().length);
    expect({ contents, url: page.url() }).toEqual({ contents: 1, url: 'app://portico/index.html' });
    const calls = globSync('electron/**/*.ts', { cwd: root })
      .map(
        (file) => [file, readFileSync(join(root, file), 'utf8').match(/shell\.openExternal\(/g)?.length ?? 0] as const,
      )
      .filter(([, count]) => count > 0);
    expect(calls).toEqual([['electron/hosts/electron/open-outside.ts', 1]]);
  });

  test('PDFs are printed one at a time, and one that is cancelled while it waits is never started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-pdf-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { conversations } = await page.evaluate(() => window.core.conversations.list({}));
    const ids = conversations.map(({ id }) => id);
    await app.evaluate(({ app: program, dialog }, path) => {
      const seen = { turns: 0, windows: 0, finish: () => {} };
      const begin = AbortSignal.any;
      Object.assign(globalThis, { seen });
      Object.assign(dialog, { showSaveDialog: async () => ({ canceled: false, filePath: `${path}/chat.pdf` }) });
      // Each job calls this once when its turn comes, even if it's already cancelled.
      AbortSignal.any = (signals) => {
        seen.turns += 1;
        return begin.call(AbortSignal, signals);
      };
      program.on('browser-window-created', (_, { webContents }) => {
        seen.windows += 1;
        const print = webContents.printToPDF.bind(webContents);
        const finished = new Promise<void>((finish) => Object.assign(seen, { finish }));
        webContents.printToPDF = (options) => finished.then(() => print(options));
      });
    }, folder);
    const seen = () => app.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
    const before = await seen();
    // The second job is cancelled a little later each time, until it's late enough to be waiting.
    for (let calls = 1; (await seen()).turns < before.turns + 2; calls += 5) {
      Object.assign(before, await seen());
      await page.evaluate(
        async ([chats, callCount]) => {
          const giveUp = new AbortController();
          const save = (options: { signal?: AbortSignal }) =>
            window.core.transfer.save({ ids: chats, format: 'pdf', name: 'chat' }, options);
          Object.assign(window, { printed: save({}) });
          const second = save({ signal: giveUp.signal }).catch(() => {});
          for (let call = 0; call < callCount; call += 1) await window.core.app.info();
          giveUp.abort();
          await second;
        },
        [ids, calls] as const,
      );
      await expect.poll(async () => (await seen()).windows).toBe(before.windows + 1);
      await app.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.finish());
      const printed = await page.evaluate(() => (window as unknown as { printed: Promise<object> }).printed);
      expect(printed).toEqual({ savedAs: 'chat.pdf' });
    }
    expect((await seen()).windows).toBe(before.windows + 1);
    const printer = await app.evaluate(async ({ BrowserWindow, session }) => {
      const closed = session.fromPartition('print', { cache: false });
      const window = new BrowserWindow({ show: false, webPreferences: { session: closed, sandbox: true } });
      await window.loadURL('app://print/nothing').catch(() => {});
      const state = await window.webContents.executeJavaScript(
        "navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)",
      );
      window.destroy();
      return state;
    });
    expect(printer).toBe('denied');
  });

  test('a reload gets a new port and the same core', async () => {
    await page.reload();
    await page.waitForFunction(() => 'core' in window);
    const { conversations } = await page.evaluate(() => window.core.conversations.list({}));
    expect(conversations).toMatchObject([{ title: 'Echo this.', live: false }]);
  });
});

/** Counters of the printing test, in the main process. */
interface Seen {
  readonly turns: number;
  readonly windows: number;
  finish(): void;
}

function cleanEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.filter(([name]) => name !== 'ELECTRON_RUN_AS_NODE' && name !== 'NODE_OPTIONS'));
}

/** Returns Electron's binary if it's there. Asking the package itself would start a download if not. */
function electronBinary(): string | null {
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const names: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  };
  const path = join(
    process.env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'),
    names[process.platform] ?? 'electron',
  );
  return existsSync(path) ? path : null;
}

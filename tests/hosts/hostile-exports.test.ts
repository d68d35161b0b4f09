import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Frame, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printHeaders } from '#core/runtime/host/page.ts';
import { printPages } from '../../electron/hosts/web/print-pages.ts';
import { type Canary, openCanary } from '../support/canary.ts';
import { importHostileChats } from '../support/hostile-chats.ts';
import { hostileMarkdown } from '../support/hostile-markdown.ts';
import { type FoundElement, foreignAmong } from '../support/own-elements.ts';
import { hasBrowser, launchBrowser } from '../support/test-browser.ts';
import { testCore } from '../support/test-core.ts';

const canOpen = hasBrowser('Hostile exports are');

/** The limit is for hangs only: a large page takes a busy machine a minute. */
const limitMs = 240_000;
/** Takes each payload in three of its five places. Unit tests parse all of them without a browser. */
const getSome = (texts: readonly string[]) => texts.filter((_, index) => index % 5 < 3);

describe.skipIf(!canOpen)('1,600 hostile chats contain only our own elements, run nothing and load nothing,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-hostile-'));
  const file = join(folder, 'chats.html');
  const oneChat = join(folder, 'one.html');
  const prints = printPages();
  let canary: Canary;
  let core: Awaited<ReturnType<typeof testCore>>;
  let printer: Server;
  let printPath: string;
  let browser: Browser;

  beforeAll(async () => {
    canary = await openCanary();
    core = await testCore({ output: { kind: 'browser', servePrint: prints.serve } });
    const ids = await importHostileChats(core.client, getSome(hostileMarkdown(canary.origin)));
    await exportTo(file, ids);
    await exportTo(oneChat, ids.slice(0, 1));
    printPath = (await core.client.transfer.preparePrint({ ids: ids.filter((_, index) => index % 8 === 0) })).path;
    printer = createServer((request, response) => {
      const page = prints.take(request.url ?? '');
      response.writeHead(200, page ? printHeaders : { 'content-type': 'text/html; charset=utf-8' });
      response.end(page ?? '<!doctype html><title>The app</title>');
    });
    await new Promise<void>((resolve) => printer.listen(0, '127.0.0.1', resolve));
    browser = await launchBrowser();
  }, limitMs);
  afterAll(async () => {
    await browser?.close();
    await core?.close();
    await canary?.close();
    printer?.close();
    rmSync(folder, { recursive: true });
  });

  test(
    'as an exported page',
    async () => {
      const page = await openPage();
      await page.goto(pathToFileURL(file).href);
      await expectHarmless(page, page.mainFrame(), pathToFileURL(file).href, 30_000);
    },
    limitMs,
  );

  test(
    'as a page to print',
    async () => {
      const page = await openPage();
      const origin = `http://127.0.0.1:${(printer.address() as AddressInfo).port}`;
      await page.goto(origin);
      await page.evaluate(
        (src) =>
          new Promise((resolve) => {
            const frame = Object.assign(document.createElement('iframe'), { src, onload: resolve });
            document.body.append(frame);
          }),
        printPath,
      );
      await expectHarmless(page, page.frames()[1] as Frame, origin + printPath, 3000);
    },
    limitMs,
  );

  test("while the page's own style and pictures work under its policy", async () => {
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(pathToFileURL(oneChat).href);
    expect(
      await page
        .locator('section.you')
        .first()
        .evaluate((section) => getComputedStyle(section).borderLeft),
    ).toContain('3px solid');
    expect(
      await page
        .locator('img')
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(1);
    expect(refused).toEqual([]);
    await page.close();
  });

  async function exportTo(path: string, ids: string[]): Promise<void> {
    const pieces: string[] = [];
    for await (const { text } of await core.client.transfer.export({ ids, format: 'html' })) pieces.push(text);
    writeFileSync(path, pieces.join(''));
  }

  /** Opens a page with its policy switched off, to see whether the markup is harmless without it. */
  async function openPage(): Promise<Page> {
    const context = await browser.newContext({ bypassCSP: true });
    context.setDefaultNavigationTimeout(limitMs);
    return context.newPage();
  }

  async function expectHarmless(page: Page, frame: Frame, address: string, minElements: number) {
    const { kinds, count, ...about } = await frame.evaluate(describePage);
    expect(
      foreignAmong(
        kinds.map((kind) => JSON.parse(kind) as FoundElement),
        'page',
      ).slice(0, 9),
    ).toEqual([]);
    expect(about).toEqual({ title: 'Chats from Portico', pwned: false, comments: false });
    expect(count).toBeGreaterThan(minElements);
    const before = canary.received();
    // This takes long enough for any request to start, and proves that the canary receives requests.
    const control = await page.context().newPage();
    await control.goto(`${canary.origin}/control`);
    const paths = canary.received().paths.filter((path) => path !== '/favicon.ico');
    expect(paths).toEqual([...before.paths.filter((path) => path === '/control'), '/control']);
    expect(before.connections).toBe(controlConnections);
    controlConnections = canary.received().connections;
    expect(page.frames().map((pageFrame) => pageFrame.url())).toContain(address);
    await page.context().close();
  }
  let controlConnections = 0;
});

/**
 * Runs in the page. Returns the number of elements, each kind of element with its attributes, and
 * signs that no page of ours has.
 */
function describePage() {
  const elements = [...document.querySelectorAll('*')];
  const described = elements.map(({ localName, attributes }) =>
    JSON.stringify({
      name: localName,
      attributes: Object.fromEntries([...attributes].map(({ name, value }) => [name, value])),
    }),
  );
  return {
    title: document.title,
    pwned: 'pwned' in globalThis,
    comments: document.createNodeIterator(document, NodeFilter.SHOW_COMMENT).nextNode() !== null,
    count: elements.length,
    kinds: [...new Set(described)],
  };
}

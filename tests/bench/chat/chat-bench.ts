import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build, preview } from 'vite';
import { fakeAnswer } from '../../support/fake-answer.ts';
import { addLongConversation } from '../../support/long-conversation.ts';
import { startWebProcess } from '../../support/web-process.ts';
import { spreadOf } from '../gateway/statistics.ts';
import type { Ratios } from '../kept-results.ts';
import { beginBareAnswer, openBarePage } from './bare-page.ts';
import { benchFirstLoad, type FirstLoadFigures } from './first-load-bench.ts';
import { benchKeys, type KeyFigures } from './keys-bench.ts';
import { probe, type Watched, watched } from './probe.ts';

const seconds = 8;
const maths = '\nThe share is $w = 1 - \\frac{t \\bmod T}{T}$, so that\n\n$$\nN \\approx n + w \\cdot p\n$$\n\n';

export interface Opened {
  readonly messages: number;
  readonly openMs: number;
  readonly domNodes: number;
  readonly scrollP99Ms: number;
}

export interface ChatFigures {
  /** Load of the machine, a minute's average, before and after. */
  readonly load: readonly [number, number];
  readonly streams: readonly ({ readonly page: 'portico' | 'bare'; readonly tokensPerSecond: number } & Watched)[];
  readonly opened: readonly Opened[];
  readonly keys: readonly KeyFigures[];
  readonly firstLoad: readonly FirstLoadFigures[];
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The chat as users get it, in one Chromium, beside a bare page that draws the same answer. Nothing is gated here. */
export async function benchChat(): Promise<ChatFigures> {
  const before = loadavg()[0] ?? Number.NaN;
  const browser = await chromium.launch({
    ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const streams = await benchStreams(browser);
    const opened = [await benchOpening(browser, 1_000), await benchOpening(browser, 10_000)];
    const keys = await benchKeys();
    const firstLoad = await benchFirstLoad(browser);
    return { load: [before, loadavg()[0] ?? Number.NaN], streams, opened, keys, firstLoad };
  } finally {
    await browser.close();
  }
}

/**
 * The window over the made-up core, whose own work is on the same thread and in the figures; then the bare page. The rate
 * is what is asked for: timers that come late on a busy machine make it lower, on both pages.
 */
async function benchStreams(browser: Browser): Promise<ChatFigures['streams']> {
  const configFile = path('../../support/fake-app/vite.config.ts');
  await build({ configFile, logLevel: 'error' });
  const server = await preview({ configFile, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the preview has no address');
  const streams: ChatFigures['streams'][number][] = [];
  for (const tokensPerSecond of [50, 200, 1_000]) {
    const length = tokensPerSecond * 4 * (seconds + 2);
    const answer = `${fakeAnswer}${maths}`.repeat(Math.ceil(length / fakeAnswer.length)).slice(0, length);
    for (const page of ['portico', 'bare'] as const) {
      const figures = await benchStream(browser, { page, url, answer, tokensPerSecond });
      streams.push({ page, tokensPerSecond, ...figures });
    }
  }
  await server.close();
  return streams;
}

interface Stream {
  readonly page: 'portico' | 'bare';
  readonly url: string;
  readonly answer: string;
  readonly tokensPerSecond: number;
}

async function benchStream(browser: Browser, { page: kind, url, answer, tokensPerSecond }: Stream): Promise<Watched> {
  const page = await openPage(browser);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const composer = page.getByRole('textbox', { name: 'Message' });
  if (kind === 'portico') {
    await page.addInitScript((words) => sessionStorage.setItem('answer', words), answer);
    await page.goto(`${url}?tokens=${tokensPerSecond}#chat`);
    await composer.fill('Tell me.');
    await composer.press('Enter');
    await page.getByRole('log', { name: 'Conversation' }).getByRole('article').nth(1).waitFor();
  } else {
    await openBarePage(page, url);
    await beginBareAnswer(page, answer, tokensPerSecond);
  }
  await composer.focus();
  const end = performance.now() + seconds * 1000;
  const figures = await watched(page, cdp, async () => {
    while (performance.now() < end) await page.keyboard.press('a', { delay: 100 });
  });
  await page.close();
  return figures;
}

/** A stored conversation through the web host, which has been built before: until its last message is there, then read upwards for a while. */
async function benchOpening(browser: Browser, messages: number): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const web = await startWebProcess(path('../../../dist/main/web.js'), ['--data-dir', folder]);
  try {
    const id = addLongConversation(folder, messages);
    const page = await openPage(browser);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    await page.goto(await web.freshLink());
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const openMs = await page.evaluate(openChat, { id, last: `${id}-${messages - 1}` });
    const domNodes = await page.evaluate(() => document.querySelectorAll('*').length);
    await page.getByRole('log', { name: 'Conversation' }).hover();
    const { frameP99Ms } = await watched(page, cdp, async () => {
      for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, -600);
    });
    await page.close();
    return { messages, openMs, domNodes, scrollP99Ms: frameP99Ms };
  } finally {
    await web.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs in the page: goes to the chat and says after how long its last message stood there. */
async function openChat({ id, last }: { id: string; last: string }): Promise<number> {
  const start = performance.now();
  location.hash = `#chat/${id}`;
  while (!document.querySelector(`[data-message="${last}"]`)) {
    if (performance.now() - start > 60_000) throw new Error(`message ${last} did not appear`);
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await page.addInitScript(probe);
  return page;
}

/** The share of the wall clock that the window works, of the bare page's at the same rate. */
export function chatRatios({ streams }: ChatFigures): Ratios {
  const of = (page: string, rate: number) => streams.find((one) => one.page === page && one.tokensPerSecond === rate);
  const rates = [...new Set(streams.map(({ tokensPerSecond }) => tokensPerSecond))];
  return Object.fromEntries(
    rates.map((rate) => {
      const ratio = (of('portico', rate)?.busyPercent ?? Number.NaN) / (of('bare', rate)?.busyPercent ?? Number.NaN);
      return [`main thread at ${rate} tokens/s`, spreadOf([ratio])];
    }),
  );
}

/** The figures, to read. */
export function chatTable({ load, streams, opened, keys, firstLoad }: ChatFigures): string {
  const numbers = (row: object) =>
    Object.values(row)
      .map((value) => (typeof value === 'number' ? String(Math.round(value * 10) / 10) : value).padStart(16))
      .join('');
  const lines = (rows: readonly object[]) => [
    Object.keys(rows[0] ?? {})
      .map((name) => name.padStart(16))
      .join(''),
    ...rows.map(numbers),
  ];
  const keyLines = keys.length > 0 ? lines(keys) : ['keys in the window: not measured, no Electron is installed'];
  const title = `chat (load average ${load.map((value) => value.toFixed(1)).join(' to ')})`;
  return `${[title, ...lines(streams), '', ...lines(opened), '', ...keyLines, '', ...lines(firstLoad)].join('\n')}\n`;
}

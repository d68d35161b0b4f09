import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build, preview } from 'vite';
import { fakeAnswer } from '../../support/fake-answer.ts';
import { addLongConversation } from '../../support/long-conversation.ts';
import { startWebProcess } from '../../support/web-process.ts';
import { type Reporter, toRow } from '../rows.ts';
import { beginBareAnswer, openBarePage } from './bare-page.ts';
import { benchFirstLoad } from './first-load-bench.ts';
import { benchKeys } from './keys-bench.ts';
import { probe, type Watched, watched } from './probe.ts';

const seconds = 8;
const maths = '\nThe share is $w = 1 - \\frac{t \\bmod T}{T}$, so that\n\n$$\nN \\approx n + w \\cdot p\n$$\n\n';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Measures the chat as users get it, in one Chromium, next to a bare page that draws the same answer. Nothing
 * fails here, however slow it is.
 */
export async function benchChat(reporter: Reporter): Promise<void> {
  const browser = await chromium.launch({
    ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    await benchStreams(browser, reporter);
    await benchOpening(browser, reporter);
    await benchKeys(reporter);
    await benchFirstLoad(browser, reporter);
  } finally {
    await browser.close();
  }
}

const watchedRows = {
  busyPercent: { what: 'main thread at work', unit: '%' },
  frameP99Ms: { what: '99th percentile between frames', unit: 'ms' },
  tasksOver50Ms: { what: 'tasks over 50 ms', unit: 'tasks' },
  keyToPaintP95Ms: { what: 'keystroke to paint, 95th percentile', unit: 'ms' },
} as const satisfies Record<keyof Watched, { what: string; unit: string }>;

/**
 * Measures the window over the fake core, whose own work is on the same thread and so in the figures, and then the bare
 * page. The rate is the requested one: on a busy machine timers come late and make it lower, on both pages.
 */
async function benchStreams(browser: Browser, reporter: Reporter): Promise<void> {
  const configFile = path('../../support/fake-app/vite.config.ts');
  reporter.doing('building the window over a made-up core');
  await build({ configFile, logLevel: 'error' });
  const server = await preview({ configFile, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the preview has no address');
  for (const tokensPerSecond of [50, 200, 1_000]) {
    const length = tokensPerSecond * 4 * (seconds + 2);
    const answer = `${fakeAnswer}${maths}`.repeat(Math.ceil(length / fakeAnswer.length)).slice(0, length);
    reporter.doing(`an answer at ${tokensPerSecond} tokens/s, in the window and in the bare page`);
    const own = await benchStream(browser, { page: 'portico', url, answer, tokensPerSecond });
    const bare = await benchStream(browser, { page: 'bare', url, answer, tokensPerSecond });
    for (const name of Object.keys(watchedRows) as (keyof Watched)[]) {
      const { what, unit } = watchedRows[name];
      const row = `${seconds} s of an answer at ${tokensPerSecond} tokens/s: ${what}`;
      // If the bare page has no long task at all, a ratio to it is meaningless.
      const floor = name === 'tasksOver50Ms' ? {} : { floor: { of: 'bare page', values: [bare[name]] } };
      reporter.row(toRow({ row, unit, values: [own[name]], ...floor }));
    }
  }
  await server.close();
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

const shortChat = 1_000;
const longChat = 10_000;
const openings = 3;

/**
 * Measures stored conversations through the web host, which must have been built: the time until the last message is
 * there, and then scrolling upwards for a while.
 */
async function benchOpening(browser: Browser, reporter: Reporter): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  reporter.doing('starting the web host');
  const web = await startWebProcess(path('../../../dist/main/web.js'), ['--data-dir', folder]);
  try {
    reporter.doing(`writing ${openings} chats of ${shortChat} and of ${longChat} messages`);
    // Each time the page opens a chat that it hasn't loaded before.
    const written = (messages: number) =>
      Array.from({ length: openings }, (_, time) => addLongConversation(folder, messages, `of-${messages}-${time}`));
    const chats = new Map([shortChat, longChat].map((messages) => [messages, written(messages)]));
    const page = await openPage(browser);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    await page.goto(await web.freshLink());
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const opened = async (messages: number) => {
      const times = [];
      reporter.doing(`opening ${openings} chats of ${messages} messages`);
      for (const id of chats.get(messages) ?? []) {
        const openMs = await page.evaluate(openChat, { id, last: `${id}-${messages - 1}` });
        const domNodes = await page.evaluate(() => document.querySelectorAll('*').length);
        await page.getByRole('log', { name: 'Conversation' }).hover();
        const { frameP99Ms } = await watched(page, cdp, async () => {
          for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, -600);
        });
        times.push({ openMs, domNodes, frameP99Ms });
      }
      return times;
    };
    const [few, many] = [await opened(shortChat), await opened(longChat)];
    const rows = [
      ['openMs', 'to its last message', 'ms'],
      ['frameP99Ms', 'read upwards, 99th percentile between frames', 'ms'],
      ['domNodes', 'elements of the page', 'elements'],
    ] as const;
    for (const [name, what, unit] of rows) {
      const floor = { of: `a chat of ${shortChat}`, values: few.map((opening) => opening[name]) };
      const values = many.map((opening) => opening[name]);
      reporter.row(toRow({ row: `a chat of ${longChat} messages opened: ${what}`, unit, values, floor }));
    }
    await page.close();
  } finally {
    await web.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs in the page. Goes to the chat and returns the time until its last message is there. */
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

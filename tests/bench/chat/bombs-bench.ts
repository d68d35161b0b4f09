import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import Sqlite from 'better-sqlite3';
import { bombs } from '../../support/bombs.ts';
import { startWebProcess, type WebProcess } from '../../support/web-process.ts';
import { type LongestTask, longestTask } from './page-tasks.ts';

export interface BombFigures {
  readonly bomb: string;
  readonly characters: number;
  /** The longest task of the page's main thread, in milliseconds of processor time; `null` where it did not come to an end. */
  readonly answerMs: number | null;
  readonly questionMs: number | null;
  readonly resultMs: number | null;
}

const places = ['answer', 'question', 'result'] as const;
type Place = (typeof places)[number];
const limitMs = 60_000;
/** What a chat costs without any bomb. */
const control = ['nothing special', () => 'A *plain* answer of a few words.'] as const;

/**
 * Each text that is made to hold up the window, as a stored answer, question and tool result: the longest task while it is
 * opened, scrolled and made narrower. `PORTICO_BOMB` is a pattern of names. Through the web host, which has been built before.
 * Nothing is gated here.
 */
export async function benchBombs(only = process.env.PORTICO_BOMB): Promise<readonly BombFigures[]> {
  const chosen = [control, ...bombs].filter(([name]) => only === undefined || new RegExp(only).test(name));
  const browser = await chromium.launch({
    ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const folder = mkdtempSync(join(tmpdir(), 'portico-bombs-'));
  let opened = await open(browser, folder);
  const figures: BombFigures[] = [];
  try {
    for (const [bomb, text] of chosen) {
      const source = text();
      const row: Record<string, number | null> = {};
      for (const place of places) {
        const id = store(folder, source, place, `${place}${figures.length}`);
        const longest = await tasksOf(browser, opened.page, id, place);
        row[`${place}Ms`] = longest?.cpuMs ?? null;
        if (longest) continue;
        await opened.close();
        opened = await open(browser, folder);
      }
      figures.push({ bomb, characters: source.length, ...row } as BombFigures);
    }
  } finally {
    await opened.close();
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
}

async function open(browser: Browser, folder: string): Promise<{ page: Page; close(): Promise<void> }> {
  const main = fileURLToPath(new URL('../../../dist/main/web.js', import.meta.url));
  const web: WebProcess = await startWebProcess(main, ['--data-dir', folder]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await page.goto(web.link());
  await page.getByText('Chats').first().waitFor();
  const start = page.getByRole('button', { name: 'Try it now' });
  if (await start.isVisible()) await start.click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return {
    page,
    async close() {
      await Promise.race([page.close(), new Promise((resolve) => setTimeout(resolve, 5_000))]);
      await web.kill('SIGTERM');
    },
  };
}

/** Opens the chat, reads on for a while, and makes the window narrower and wide again. */
async function tasksOf(browser: Browser, page: Page, id: string, place: Place): Promise<LongestTask | null> {
  const steps = async () => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#chat/${id}`);
    await page.locator(`[data-message="${id}-a"]`).waitFor();
    if (place === 'result') await page.locator(`[data-message="${id}-a"] summary`).first().click();
    await page.waitForTimeout(1_000);
    await page.getByRole('log', { name: 'Conversation' }).hover();
    for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, turn < 14 ? -800 : 800);
    await page.setViewportSize({ width: 900, height: 800 });
    await page.waitForTimeout(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForTimeout(300);
  };
  const limit = new Promise<null>((resolve) => setTimeout(resolve, limitMs, null));
  return Promise.race([longestTask(browser, page, steps).catch(() => null), limit]);
}

function store(folder: string, text: string, place: Place, id: string): string {
  const db = new Sqlite(join(folder, 'portico.db'));
  db.pragma('busy_timeout = 5000');
  const now = Date.now();
  const insert = db.prepare(`insert into messages
    (id, conversation_id, parent_id, role, text, status, model, model_name, simulated, tool_calls, cost_usd, cost_source, created_at, finished_at)
    values (?, ?, ?, ?, ?, 'done', 'sandbox/echo', 'Echo', 1, ?, '0', 'billed', ?, ?)`);
  const run = { state: 'done', server: 'Test', title: 'Test', result: text, startedAt: now, finishedAt: now };
  const calls = place === 'result' ? [{ id: 'call', name: 'test', arguments: '{}', run }] : [];
  db.transaction(() => {
    db.prepare('insert into conversations (id, title, model, created_at, updated_at) values (?, ?, ?, ?, ?)').run(
      ...[id, id, 'sandbox/echo', now, now],
    );
    insert.run(`${id}-q`, id, null, 'user', place === 'question' ? text : 'Why?', '[]', now, now);
    const answer = place === 'answer' ? text : 'Because.';
    insert.run(`${id}-a`, id, `${id}-q`, 'assistant', answer, JSON.stringify(calls), now, now);
    db.prepare('update conversations set active_leaf = ? where id = ?').run(`${id}-a`, id);
  }).immediate();
  db.close();
  return id;
}

/** The figures, to read. */
export function bombsTable(figures: readonly BombFigures[]): string {
  const cell = (value: number | null) => (value === null ? 'stuck' : `${Math.round(value)} ms`).padStart(12);
  const head = `${'bomb'.padEnd(28)}${'characters'.padStart(12)}${places.map((place) => place.padStart(12)).join('')}`;
  const lines = figures.map(
    ({ bomb, characters, answerMs, questionMs, resultMs }) =>
      `${bomb.padEnd(28)}${String(characters).padStart(12)}${[answerMs, questionMs, resultMs].map(cell).join('')}`,
  );
  return `${[head, ...lines].join('\n')}\n`;
}

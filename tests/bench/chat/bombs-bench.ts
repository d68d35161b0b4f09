import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import Sqlite from 'better-sqlite3';
import { bombs } from '../../support/bombs.ts';
import { startWebProcess, type WebProcess } from '../../support/web-process.ts';
import { type Reporter, toRow } from '../rows.ts';
import { type LongestTask, maxTask } from './page-tasks.ts';

const places = ['answer', 'question', 'result'] as const;
type Place = (typeof places)[number];
const limitMs = 60_000;
const maxMs = 50;
/** A chat without any bomb, for comparison. */
const control = ['nothing special', () => 'A *plain* answer of a few words.'] as const;

/**
 * Measures each bomb as a stored answer, question and tool result: the longest task while the chat is opened, scrolled
 * and made narrower. `PORTICO_BOMB` is a pattern for names. It runs through the web host, which must have been built.
 * Nothing fails here, however slow it is.
 */
export async function benchBombs(reporter: Reporter): Promise<void> {
  const only = process.env.PORTICO_BOMB;
  const chosen = [control, ...bombs].filter(([name]) => only === undefined || new RegExp(only).test(name));
  const browser = await chromium.launch({
    ...(process.env.PORTICO_CHROMIUM ? { executablePath: process.env.PORTICO_CHROMIUM } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const folder = mkdtempSync(join(tmpdir(), 'portico-bombs-'));
  let opened = await open(browser, folder);
  let count = 0;
  try {
    for (const [bomb, text] of chosen) {
      const source = text();
      for (const place of places) {
        const id = store(folder, source, place, `${place}${count++}`);
        const longest = await getTasks(browser, opened.page, id, place);
        const row = `${bomb}, ${source.length} characters, as ${place}: longest task of the page`;
        // A row that doesn't end within a minute counts as that minute.
        reporter.row(toRow({ row, unit: 'ms CPU', values: [longest?.cpuMs ?? limitMs], atMost: maxMs }));
        if (longest) continue;
        await opened.close();
        opened = await open(browser, folder);
      }
    }
  } finally {
    await opened.close();
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
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

/** Opens the chat, scrolls for a while, and makes the window narrower and wide again. */
async function getTasks(browser: Browser, page: Page, id: string, place: Place): Promise<LongestTask | null> {
  const steps = async () => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#chat/${id}`);
    await page.locator(`[data-message="${id}-a"]`).waitFor();
    if (place === 'result') await page.locator(`[data-message="${id}-a"] summary`).first().click();
    await page.waitForTimeout(1_000);
    await page.getByRole('log', { name: 'Conversation' }).hover();
    for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, step < 14 ? -800 : 800);
    await page.setViewportSize({ width: 900, height: 800 });
    await page.waitForTimeout(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForTimeout(300);
  };
  const limit = new Promise<null>((resolve) => setTimeout(resolve, limitMs, null));
  return Promise.race([maxTask(browser, page, steps).catch(() => null), limit]);
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

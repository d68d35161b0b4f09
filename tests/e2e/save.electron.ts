import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ElectronApplication, Page } from 'playwright';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { openCanary } from '../support/canary.ts';
import { readPdf } from '../support/read-pdf.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, type RunningApp, test } from './app.ts';
import { seeded } from './seeded.ts';

/** One line, far wider than a sheet of paper. */
const longLine = Array.from({ length: 60 }, (_, index) => `part${index}`).join('+');
/** The fonts that every PDF embeds. */
const ownFonts = new Set(['Inter', 'JetBrainsMono', 'NotoSansMath']);
const answer = `# A heading of the answer

The roots are $x_{1,2} = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}$.

\`\`\`js
const wide = () => ${longLine};
\`\`\`

| ${'abcdefgh'.split('').join(' | ')} |
|${'---|'.repeat(8)}
| ${Array.from({ length: 8 }, (_, index) => `a-rather-long-cell-number-${index}`).join(' | ')} |

![a picture](ADDRESS)

Left open: <pre> <meta http-equiv=refresh content=0;url=ADDRESS x

<script> <link rel=preconnect href=ADDRESS> <img src=ADDRESS> <iframe src=ADDRESS`;

function getMain({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('There is no main process.');
  return main;
}

/** Answers the system's save dialog, which a test can't see. `timesAsked` counts the dialogs from then on. */
const saveAt = (app: RunningApp, path: string | null) =>
  getMain(app).evaluate(({ dialog }, filePath) => {
    const counter = Object.assign(globalThis, { timesAsked: 0 });
    dialog.showSaveDialog = (async () => {
      counter.timesAsked += 1;
      return filePath === null ? { canceled: true, filePath: '' } : { canceled: false, filePath };
    }) as never;
  }, path);

const timesAsked = (app: RunningApp) =>
  getMain(app).evaluate(() => (globalThis as { timesAsked?: number }).timesAsked ?? 0);

const windows = (app: RunningApp) => getMain(app).evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);

async function startWith(launch: () => Promise<RunningApp>, folder: string, address: string) {
  const dataFolder = await seeded(folder, 4, 30);
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.exec('update conversations set archived_at = null, folder_id = null');
  db.prepare(
    "update conversations set title = 'Everything in one chat' where id = (select max(id) from conversations)",
  ).run();
  const { id } = db
    .prepare("select active_leaf as id from conversations where title = 'Everything in one chat'")
    .get() as { id: string };
  db.prepare("update messages set text = ?, status = 'done', error = null where id = ?").run(
    answer.replaceAll('ADDRESS', address),
    id,
  );
  const costs = (
    db.prepare("select cost_usd as cost from messages where role = 'assistant'").all() as { cost: string }[]
  ).map(({ cost }) => parseUsd(cost));
  db.close();
  const app = await launch();
  await expect(app.page.getByRole('link', { name: 'Everything in one chat' })).toBeVisible();
  return { app, page: app.page, total: formatUsd(nanoUsd(costs.reduce((sum, cost) => sum + cost, 0n))) };
}

async function openExport(page: Page) {
  await page
    .getByRole('navigation', { name: 'Chats', exact: true })
    .getByRole('link', { name: 'Everything in one chat' })
    .click();
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  return page.getByRole('dialog', { name: 'Export 1 chat' });
}

test('a chat is saved as a complete PDF in the chosen place, several chats become one PDF with chapters, and JSON and failures work alike', async ({
  launch,
  folder,
}) => {
  const canary = await openCanary();
  const { app, page, total } = await startWith(launch, folder, `${canary.origin}/p.png`);
  await getMain(app).evaluate(({ nativeTheme }) => {
    nativeTheme.themeSource = 'dark';
  });
  const dialog = await openExport(page);
  await dialog.getByRole('button', { name: 'PDF', exact: true }).click();
  await expectNoFault(page, 'the dialog');

  await saveAt(app, null);
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await expect.poll(() => timesAsked(app)).toBe(1);
  await expect(dialog.getByRole('button', { name: 'Export', exact: true })).toBeEnabled();
  const path = join(folder, 'chat.pdf');
  await saveAt(app, path);
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(page.getByText('Saved as chat.pdf').first()).toBeVisible();
  expect(await windows(app)).toBe(1);

  const { pages, outline, text, fonts } = await readPdf(path);
  expect(text).toContain('Everything in one chat');
  expect(text).toMatch(/You/);
  expect(text).toMatch(/\$\d+\.\d+ \(billed\) · [\d,]+ tokens in, [\d,]+ out/);
  expect(text.replace(/\s/g, '')).toContain(longLine);
  expect(text.replace(/\s/g, '')).toContain('a-rather-long-cell-number-7');
  expect(text).toContain('2𝑎');
  expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  expect(text).toContain('=>');
  expect(fonts).toEqual(ownFonts);
  expect(text.replace(/\s/g, '')).toContain('<metahttp-equiv=refresh');
  expect(text.replace(/\s/g, '')).toContain('<iframesrc=');
  expect(text).toContain(`1 / ${pages.length}`);
  expect(text).toContain(`${pages.length} / ${pages.length}`);
  expect(outline).toEqual(expect.arrayContaining(['Everything in one chat', 'A heading of the answer']));
  expect(Math.min(...pages.map(({ spareRight }) => spareRight))).toBeGreaterThan(20);
  const fills = new Set(pages.flatMap((sheet) => [...sheet.fills]));
  expect(fills).toContain('#1a1a1e');
  expect([...fills].filter((colour) => ['#e8e8ec', '#111113', '#1c1c20'].includes(colour))).toEqual([]);

  expect(await printPermissions(app)).toEqual({ geolocation: 'denied', notifications: 'denied', camera: 'denied' });
  await test.step('several chats', () => saveSeveral(app, folder, total));
  expect(canary.received()).toEqual({ paths: [], connections: 0 });
  await canary.close();
});

/** Asks for permissions in a page of the session that prints. */
const printPermissions = (app: RunningApp): Promise<Record<string, string>> =>
  getMain(app).evaluate(async ({ BrowserWindow }, origin) => {
    const hidden = new BrowserWindow({ show: false, webPreferences: { partition: 'print' } });
    try {
      await hidden.loadURL(`${origin}/none`);
      return await hidden.webContents.executeJavaScript(`(async () => {
        const states = {};
        for (const name of ['geolocation', 'notifications', 'camera'])
          states[name] = (await navigator.permissions.query({ name })).state;
        return states;
      })()`);
    } finally {
      hidden.destroy();
    }
  }, 'app://print');

async function saveSeveral(app: RunningApp, folder: string, total: string): Promise<void> {
  const { page } = app;
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('link', { name: 'Data & backup' }).click();
  await saveAt(app, join(folder, 'all.json'));
  await page.getByRole('button', { name: 'Export all chats' }).click();
  await expect(page.getByText('Saved as all.json').first()).toBeVisible();
  const { contents } = JSON.parse(await readFile(join(folder, 'all.json'), 'utf8'));
  const chats = (contents as { title?: string }[]).flatMap(({ title }) => title ?? []);
  expect(chats).toHaveLength(4);

  await page.getByRole('link', { name: 'All chats' }).click();
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Export \d chats/ });
  await dialog.getByRole('button', { name: 'PDF', exact: true }).click();
  const exportNow = () => dialog.getByRole('button', { name: 'Export', exact: true }).click();

  await saveAt(app, join(folder, 'not-there', 'all.pdf'));
  await exportNow();
  await expect(page.getByText('all.pdf was not written').first()).toBeVisible();

  // The process that renders the page for printing crashes in the middle of its work.
  await getMain(app).evaluate(({ app: electron }) => {
    electron.once('web-contents-created', (_, contents) =>
      contents.once('did-start-loading', () => contents.forcefullyCrashRenderer()),
    );
  });
  await saveAt(app, join(folder, 'all.pdf'));
  await exportNow();
  await expect(page.getByText('The PDF could not be made').first()).toBeVisible();
  expect(await windows(app)).toBe(1);
  expect((await readdir(folder)).filter((name) => name.includes('.pdf'))).toEqual(['chat.pdf']);

  await exportNow();
  await expect(page.getByText('Saved as all.pdf').first()).toBeVisible();
  expect(await windows(app)).toBe(1);
  const { outline, text } = await readPdf(join(folder, 'all.pdf'));
  const chapters = [...chats, 'Costs'];
  expect(outline.filter((entry) => chapters.some((title) => entry.includes(title))).sort()).toEqual(chapters.sort());
  expect(text).toMatch(new RegExp(`Together\\s*30\\s*\\$${total.replace('.', '\\.')}`));
  expect(existsSync(join(folder, 'all.pdf.part'))).toBe(false);
}

import { expect, test } from './app.ts';
import { message } from './chat.ts';

const sections = ['providers', 'gateway', 'network', 'chat', 'tools', 'prompts', 'caps', 'appearance'];
const more = ['keyboard', 'data', 'privacy', 'about'];
const places = [
  ...['#chat', '#chats/active', '#chats/trash', '#models', '#models/what-if', '#usage', '#credits', '#reconciliation'],
  ...['#account', ...[...sections, ...more].map((section) => `#settings/${section}`)],
];
/** Of the installed app: the tray, its shortcut of the system, updates, its spelling checker, its windows and their size. */
const onlyInstalled = [
  /keep running/i,
  /quick window/i,
  /newest version|look now/i,
  /spell/i,
  /^new window$/i,
  /^zoom/i,
];

test('in a browser every page works, and what only the installed app has is not shown', async ({ app: { page } }) => {
  const said: string[] = [];
  page.on('console', (line) => line.type() === 'error' && said.push(line.text()));
  page.on('pageerror', (error) => said.push(error.message));
  for (const place of places) {
    await page.evaluate((to) => location.assign(to), place);
    await expect(page.getByRole('main').locator('h1, h2, textarea').first()).toBeVisible();
    await expect(page.getByRole('main').getByRole('status', { name: /loading/i })).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
    for (const words of onlyInstalled) {
      expect({ place, words, shown: await page.getByRole('main').getByText(words).count() }).toMatchObject({
        shown: 0,
      });
    }
  }
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog');
  for (const [typed, hidden] of [
    ['zoom', /^zoom/i],
    ['window', /new window|quick window/i],
    ['update', /updates/i],
  ] as const) {
    await palette.getByRole('combobox').fill(typed);
    await expect(palette.getByRole('option', { name: hidden })).toHaveCount(0);
  }
  await page.keyboard.press('Escape');
  expect(said).toEqual([]);
});

test('a tab is no small window, whatever its address says, and a file that is opened elsewhere says so', async ({
  app: { page },
}) => {
  await page.evaluate(() => location.assign('#quick'));
  await page.reload();
  await expect(message(page)).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Chats', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Menu', exact: true })).toHaveCount(0);
  await page.evaluate(() => location.assign('#open-file/somebody-elses'));
  const dialog = page.getByRole('dialog', { name: 'Not imported' });
  await expect(dialog).toContainText('Open it once more');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});

import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { message, newChat } from './chat.ts';
import { places } from './places.ts';

test.describe.configure({ mode: 'default' });

/**
 * Texts of features that only the installed app has: the tray, its system-wide shortcut, updates, the spelling checker,
 * its windows and their zoom.
 */
const onlyInstalled = [
  /keep running/i,
  /quick window/i,
  /newest version|look now/i,
  /spell/i,
  /^new window$/i,
  /^zoom/i,
];

test('every page works in a browser, and features of the installed app are not shown', async ({ app: { page } }) => {
  const errors: string[] = [];
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('pageerror', (error) => errors.push(error.message));
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
  expect(errors).toEqual([]);
});

test("a tab does not become the quick window by its address, and a link to another page's file is refused", async ({
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

test('in a browser the same links are part of the address and are confirmed one after another, by keyboard alone', async ({
  app: { page },
}) => {
  await newChat(page);
  await message(page).fill('typed before');
  const open = (link: string) =>
    page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `open/${encodeURIComponent(link)}`,
    );
  await open('portico://new?prompt=from+a+link&model=nobody%2Fgone');
  await open('portico://models?q=reasoner');
  await open('portico://gateway?url=https%3A%2F%2Fgateway.example.com');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('nobody/gone (not in the catalogue');
  await expect(dialog).toContainText('It goes below what you have typed there already.');
  await expectNoFault(page, 'a link');
  await dialog.getByRole('button', { name: 'Put into a new chat' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Show models from a link?');
  await dialog.getByRole('button', { name: 'Show', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('https://gateway.example.com');
  await dialog.getByRole('button', { name: 'Go to the settings' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Base URL' })).toHaveValue('https://gateway.example.com');
  await page.goBack();
  await expect(page.getByRole('searchbox').first()).toHaveValue('reasoner');
  await open('portico://prompt?name=Short&text=Be+short.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Prompt saved')).toBeVisible();
  await newChat(page);
  await expect(message(page)).toHaveValue('typed before\n\nfrom a link');
});

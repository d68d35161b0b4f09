import { fakePicture } from '../support/fake-data.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, type RunningApp, test } from './app.ts';
import { articles, ask, capMessages, ended, message, newChat } from './chat.ts';
import { bill, billed, comparison } from './compared.ts';
import { chatTotal, dollars } from './money.ts';

/** All tests run with a cap that almost every message exceeds. */
test.describe.configure({ mode: 'default' });
test.use({ starts: ({ upstream }, use) => use({ env: upstream.env }) });

const capped = new WeakSet<RunningApp>();
test.beforeEach(async ({ app }) => {
  if (!capped.has(app)) await capMessages(app.page);
  capped.add(app);
});

test('a cap stops a message that might exceed it, and the user may send it anyway', async ({
  app: { page },
  upstream,
}) => {
  await expectNoFault(page, 'caps');
  await newChat(page, 'GPT-5');
  await message(page).fill('Is it worth it?');
  await expect(page.getByText('Over your cap for a message')).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('Your cap for a message is $0.000001');
  await expect(message(page)).toHaveValue('Is it worth it?');
  await expectNoFault(page, 'over a cap');
  expect(upstream.calls()).toBe(0);
  await page.getByRole('button', { name: 'Send once anyway' }).click();
  await ended(articles(page).nth(1));
  expect(upstream.calls()).toBe(1);
});

test('a cap counts all models of a comparison together, and a model that reads no images is named', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-5');
  await page.getByRole('button', { name: 'Compare models' }).click();
  for (const name of ['claude haiku', 'Sandbox Echo']) {
    await page.getByRole('combobox', { name: /Search/ }).fill(name);
    await page.getByRole('option').first().click();
  }
  await page.keyboard.press('Escape');
  const chips = page.getByRole('list', { name: 'Models to compare' }).getByRole('listitem');
  await expect(chips).toHaveCount(3);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(fakePicture.base64, 'base64') });
  await message(page).fill('Is it worth it?');
  const leaveOut = page.getByRole('button', { name: 'Leave out Sandbox Echo' });
  await expect(page.getByText(/Sandbox Echo: .*does not read images/)).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('Sandbox Echo does not read images');
  await chips.nth(2).getByRole('button', { name: 'Take Sandbox Echo out of the comparison' }).click();
  await expect(leaveOut).toBeHidden();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('The dearest is');
  await expect(message(page)).toHaveValue('Is it worth it?');
  await expect(chips).toHaveCount(2);
  expect(upstream.calls()).toBe(0);
  await page.getByRole('button', { name: 'Send once anyway' }).click();
  await expect(bill(comparison(page))).toHaveCount(2);
  expect(upstream.calls()).toBe(2);
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(await billed(page));
});

test('a cap stops Regenerate and an edit before anything is stored, and the user may send either anyway', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-5');
  await ask(page, 'Is it worth it?');
  await page.getByRole('button', { name: 'Send once anyway' }).click();
  await ended(articles(page).nth(1));
  const over = page.getByRole('dialog', { name: 'Over your cap' });

  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await expect(over).toContainText('Your cap for a message is $0.000001');
  await expectNoFault(page, 'over a cap');
  await over.getByRole('button', { name: 'Cancel' }).click();
  await expect(articles(page).nth(1)).not.toContainText('2 / 2');
  expect(upstream.calls()).toBe(1);
  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await over.getByRole('button', { name: 'Send once anyway' }).click();
  await expect(articles(page).nth(1)).toContainText('2 / 2');
  await ended(articles(page).nth(1));

  await articles(page).first().hover();
  await articles(page).first().getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'New wording' }).fill('Was it worth it?');
  await page.getByRole('button', { name: 'Save and ask' }).click();
  await expect(over).toBeVisible();
  await over.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('textbox', { name: 'New wording' })).toHaveValue('Was it worth it?');
  await page.getByRole('button', { name: 'Save and ask' }).click();
  await over.getByRole('button', { name: 'Send once anyway' }).click();
  await expect(articles(page).first()).toContainText('Was it worth it?');
  await expect(articles(page).first()).toContainText('2 / 2');
  await ended(articles(page).nth(1));
  expect(upstream.calls()).toBe(3);
});

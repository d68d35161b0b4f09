import { readFile } from 'node:fs/promises';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, newChat } from './chat.ts';
import { booked, dollars } from './money.ts';

test.describe.configure({ mode: 'default' });

test("without any key, every provider's models and prices are listed and found by keyboard", async ({
  app: { page },
}) => {
  await page.getByRole('link', { name: 'Models' }).click();
  await expect(page.getByRole('banner').or(page.locator('header')).first()).toContainText(
    /[5-9]\d\d models from 1\d providers/,
  );
  await expectNoFault(page, 'the list of models');
  await page.keyboard.press('F6');
  await page.getByRole('searchbox', { name: 'Filter models' }).focus();
  await page.keyboard.type('grok 4.5');
  const row = page.getByRole('row', { name: /Grok 4\.5.*xAI/ });
  await expect(row).toContainText('Needs a key');
  await row.getByRole('button', { name: 'Grok 4.5', exact: true }).focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Grok 4.5' });
  await expect(sheet.getByRole('button', { name: 'Add a key for xAI' })).toBeFocused();
  await expect(sheet).toContainText(/Price as of .*, from @pydantic\/genai-prices/);
  await expectNoFault(page, 'a model’s page');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.goBack();
  await sheet.getByRole('button', { name: 'Add a key for xAI' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Add key (xAI)' })).toBeFocused();
});

test("the user's own requests are priced for another model beside their real cost in the ledger", async ({
  app: { page },
}) => {
  await newChat(page, 'Tour');
  await ask(page, 'What does this cost elsewhere?');
  await ended(articles(page).nth(1));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('what if');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Add a model' }).click();
  await expect(page.getByPlaceholder('Filter models')).toBeFocused();
  await page.keyboard.type('opus 5');
  await expect(page.getByRole('option').first()).toContainText('Claude Opus 5');
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: /Claude Opus 5/ });
  await expect(row).toContainText('$');
  await expectNoFault(page, 'what if');
  const [cost = 0n, actual = 0n, more] = (await row.getByRole('cell').allTextContents()).slice(0, 3).map(dollars);
  expect(cost - actual).toBe(more);
  expect(actual).toBe(-(await booked(page, /Tour/, 1)));
});

test('a model makes an image that is shown, billed as an image, opened, saved, copied and used in the next message', async ({
  app: { page },
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await newChat(page, 'Sandbox Painter');
  await ask(page, 'Paint the sea at dawn.');
  const answer = articles(page).nth(1);
  await ended(answer);
  const image = answer.getByRole('img', { name: 'Image made by Sandbox Painter' });
  await expect(image).toBeVisible();
  await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(512);
  await expectNoFault(page, 'an image of an answer');

  const bill = answer.getByRole('button', { name: /billed/ });
  const cost = dollars(await bill.textContent());
  await bill.click();
  await expect(page.getByRole('dialog')).toContainText(/Images.*1,120 tokens/);
  await page.keyboard.press('Escape');

  await answer.getByRole('button', { name: 'Open Image made by Sandbox Painter' }).press('Enter');
  await expect(page.getByRole('dialog').getByRole('img')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const saving = page.waitForEvent('download');
  await answer.getByRole('button', { name: 'Save image' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('image-1.png');
  expect((await readFile(await saved.path())).subarray(1, 4).toString()).toBe('PNG');
  await answer.getByRole('button', { name: 'Copy image' }).click();
  await expect(answer.getByRole('button', { name: 'Copied' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Message', exact: true }).press('ControlOrMeta+v');
  await expect(
    page.getByRole('list', { name: 'Attached files' }).getByRole('button', { name: /^Open / }),
  ).toBeVisible();

  await page.reload();
  await expect(image).toBeVisible();
  await ask(page, 'Bluer.');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toContainText('It had 2 pictures to begin with.');
  const second = dollars(
    await articles(page)
      .nth(3)
      .getByRole('button', { name: /billed/ })
      .textContent(),
  );
  expect(await booked(page, 'Sandbox Painter', 2)).toBe(-cost - second);
});

test('a model searches the web when the chat allows it, shows its sources, and each search is on the bill', async ({
  app: { page },
}) => {
  await newChat(page);
  const search = page.getByRole('button', { name: /^Search the web/ });
  await expect(search).toHaveCount(0);
  await chooseModel(page, 'Sandbox Tools');
  await expect(search).toHaveAccessibleName(/off \(\$0\.0005 a search\)/);
  await search.focus();
  await page.keyboard.press('Enter');
  await expect(search).toHaveAccessibleName(/on \(/);
  await expect(search).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What is new in porticos?');
  const quote = page.getByRole('button', { name: /usually under/ });
  await quote.click();
  await expect(page.getByRole('dialog')).toContainText(/Up to.*web search.*1 search/i);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Send' }).click();
  const answer = articles(page).nth(1);
  await ended(answer);
  await answer.getByText('2 sources on the web').click();
  const sources = answer.getByRole('list').last();
  await expect(sources.getByRole('link', { name: 'Simulated page one' })).toHaveAttribute(
    'href',
    'https://example.com/simulated/one',
  );
  await expect(sources.getByRole('listitem').last()).toContainText('The second would say it in other words');
  await expectNoFault(page, 'sources');
  const bill = answer.getByRole('button', { name: /billed/ });
  const cost = dollars(await bill.textContent());
  await bill.click();
  await expect(page.getByRole('dialog')).toContainText(/Web search.*1 search/);
  await page.keyboard.press('Escape');

  await page.reload();
  await expect(articles(page).nth(1).getByRole('link', { name: 'Simulated page two' })).toBeVisible();
  // Another model of the chat can't search: the button shows that, and no search is made.
  await chooseModel(page, 'Sandbox Echo');
  await expect(page.getByRole('button', { name: /^Sandbox Echo cannot search the web/ })).toBeVisible();
  await ask(page, 'And now?');
  await ended(articles(page).nth(3));
  await expect(
    articles(page)
      .nth(3)
      .getByRole('button', { name: /sources/ }),
  ).toHaveCount(0);
  expect(await booked(page, 'Sandbox Tools', 1)).toBe(-cost);
});

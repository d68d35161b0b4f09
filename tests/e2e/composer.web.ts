import { pagePdf } from '../seed/real-files.ts';
import { openCanary } from '../support/canary.ts';
import { fakePicture } from '../support/fake-data.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, newChat, openChat } from './chat.ts';
import { booked, chatTotal, dollars, getBalance } from './money.ts';
import { stored } from './stored.ts';

test.describe.configure({ mode: 'default' });

test('after kill -9 the partial answer, the draft and the queue are there, no hold is left, and the chat continues in order', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const before = await getBalance(first.page);
  await chooseModel(first.page, 'Sandbox Slow');
  await ask(first.page, 'Write slowly, please.');
  await expect(first.page.getByRole('button', { name: 'Stop' })).toBeVisible();
  for (const words of ['Then this', 'And this']) {
    await message(first.page).fill(words);
    await message(first.page).press('Enter');
    await expect(first.page.getByRole('region', { name: 'Waiting messages' })).toContainText(words);
  }
  await first.page.getByRole('button', { name: 'Edit waiting message' }).last().click();
  const edited = first.page.getByRole('textbox', { name: 'Edit waiting message' });
  await edited.fill('And that');
  await first.page.getByRole('button', { name: 'Save' }).click();
  await expect(edited).toBeHidden();
  await expect(first.page.getByRole('region', { name: 'Waiting messages' })).toContainText('And that');
  await message(first.page).fill('half a thou');
  await expect
    .poll(() => stored<{ text: string }>(first.dataFolder, `select text from drafts where chat not like 'new-%'`))
    .toEqual([{ text: 'half a thou' }]);
  const cut = articles(first.page).nth(1);
  await expect.poll(async () => (await cut.textContent())?.length ?? 0).toBeGreaterThan(120);
  await first.kill();

  const { page } = await launch({ dataFolder: first.dataFolder, paced: true });
  await openChat(page, /Write slowly/);
  await expect(articles(page).nth(1)).toContainText('Interrupted');
  expect((await articles(page).nth(1).textContent())?.length).toBeGreaterThan(60);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await page.getByRole('link', { name: 'Credits' }).click();
  await expect(page.getByText('Held for running answers').locator('..')).toContainText('$0.00');
  expect(await getBalance(page)).toBe(before);
  await openChat(page, /Write slowly/);
  await expect(message(page)).toHaveValue('half a thou');
  const waiting = page.getByRole('region', { name: 'Waiting messages' });
  await expect(waiting.getByRole('listitem')).toHaveText([/Then this/, /And that/]);
  await waiting.getByRole('button', { name: 'Go on with these' }).click();
  await expect(articles(page).filter({ hasText: 'Then this' }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(waiting.getByRole('listitem')).toHaveText([/And that/]);

  await waiting.getByRole('button', { name: 'Remove waiting message' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'And it goes on.');
  await expect(articles(page).nth(5)).toContainText('And it goes on.');
});

test("a quote is shown before sending, a bill that adds up after, and the chat's total agrees with the ledger", async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Reasoner');
  await message(page).fill('How does the ledger work?');
  const quote = page.getByRole('button', {
    name: /^(about \$[\d.]+, )?(at most|usually under) \$[\d.]+, [\d,]+ tokens in/,
  });
  await expect(quote).toBeVisible();
  await quote.click();
  await expect(page.getByRole('dialog', { name: 'Expected cost' })).toContainText('Quoted by the gateway');
  await expectNoFault(page, 'quote');
  const high = dollars(await page.getByRole('row', { name: /At most|Usually under/ }).textContent());
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).nth(1));
  const bill = articles(page)
    .nth(1)
    .locator('footer')
    .getByRole('button', { name: /billed/ });
  const cost = dollars(await bill.textContent());
  expect(cost).toBeGreaterThan(0n);
  expect(cost).toBeLessThanOrEqual(high);
  await bill.click();
  const lines = page.getByRole('table', { name: 'What it cost' }).getByRole('row');
  await expect(lines.filter({ hasText: 'Reasoning' })).toHaveCount(1);
  const amounts = await lines.evaluateAll((rows) => rows.map((row) => row.lastElementChild?.textContent ?? ''));
  expect(amounts.slice(0, -1).reduce((sum, text) => sum + dollars(text), 0n)).toBe(cost);
  expect(dollars(amounts.at(-1) ?? '')).toBe(cost);
  await expectNoFault(page, 'bill');
  await page.keyboard.press('Escape');

  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await expect(articles(page).nth(1)).toContainText('2 / 2');
  await ended(articles(page).nth(1));
  const second = dollars(await articles(page).nth(1).locator('footer').textContent());
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(cost + second);
  expect(await booked(page, 'Sandbox Reasoner', 2)).toBe(-(cost + second));
});

test('a model that reads no images is reported before anything is sent, and text files go to every model', async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  const attach = page.locator('input[type=file]').first();
  await attach.setInputFiles({
    name: 'column.png',
    mimeType: 'image/png',
    buffer: Buffer.from(fakePicture.base64, 'base64'),
  });
  await expect(page.getByText('This model does not read images')).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).click();
  const refused = page.getByRole('alert').filter({ hasText: 'column.png cannot be sent to it' });
  await expect(refused).toContainText('Choose another model, or remove the file.');
  await page.getByRole('button', { name: 'Remove column.png' }).click();
  await expect(refused).toHaveCount(0);
  await attach.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('eight columns') });
  await expect(page.getByRole('button', { name: 'Open notes.txt' })).toBeVisible();
  await message(page).fill('Here it is');
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText('Here it is');
});

test("a summary is quoted, written, listed in the chat's total, and replaces the messages it sums up", async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  for (const [index, words] of ['first question', 'second question', 'third question'].entries()) {
    await ask(page, words);
    await ended(articles(page).nth(index * 2 + 1));
  }
  await page.getByRole('button', { name: /^Context/ }).click();
  const summary = page.getByRole('region', { name: 'Summary' });
  await expect(summary).toContainText(/writes it for \$[\d.]+–[\d.]+/);
  await summary.getByRole('button', { name: 'Summarise now' }).click();
  await expect(summary).toContainText(/A summary stands for the first \d messages/);
  await expectNoFault(page, 'context');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Not sent to the model any more').first()).toBeVisible();
  await expectNoFault(page, 'messages that are not sent');
  await chatTotal(page).click();
  await expect(page.getByRole('row', { name: /of which summaries/ })).toBeVisible();
  await expect(page.getByText('4 requests.')).toBeVisible();
  await page.keyboard.press('Escape');
  const sum = dollars(await chatTotal(page).textContent());
  expect(await booked(page, 'first question', 4)).toBe(-sum);
});

test('a picture in an answer is not loaded, and one on this machine is refused even when the user asks for it', async ({
  app: { page },
}) => {
  const canary = await openCanary();
  await newChat(page, 'Sandbox Echo');
  await ask(page, `![a chart](${canary.origin.replace('http:', 'https:')}/chart.png)`);
  await ended(articles(page).nth(1));
  const chip = articles(page)
    .nth(1)
    .getByRole('button', { name: /^Show picture: a chart/ });
  await chip.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'a chart' });
  await expect(dialog.getByRole('alert')).toContainText('not on the public internet');
  await expect(dialog.getByRole('button', { name: 'Open in browser' })).toBeVisible();
  await expectNoFault(page, 'picture');
  await page.keyboard.press('Escape');
  await expect(chip).toBeFocused();
  expect(canary.received()).toEqual({ paths: [], connections: 0 });
  await canary.close();
});

test('an attached PDF shows its first page and its page count, and a damaged one is reported', async ({
  app: { page },
}) => {
  await newChat(page);
  const intact = pagePdf(['Minutes of the meeting', 'Everybody was there.']);
  const damaged = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(2000, 0x20)]);
  await page.locator('input[type=file]').setInputFiles([
    { name: 'minutes.pdf', mimeType: 'application/pdf', buffer: intact },
    { name: 'damaged.pdf', mimeType: 'application/pdf', buffer: damaged },
  ]);
  const card = page.getByRole('button', { name: 'Open minutes.pdf' });
  await card.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'minutes.pdf' });
  const picture = dialog.getByRole('img', { name: 'First page of minutes.pdf' });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalHeight)).toBeGreaterThan(900);
  // Some pixels are dark, so text was drawn and the picture isn't empty.
  const dark = await picture.evaluate((image: HTMLImageElement) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const pen = canvas.getContext('2d');
    pen?.drawImage(image, 0, 0, image.width, image.height);
    const { data } = pen?.getImageData(0, 0, image.width, image.height) ?? { data: [] };
    return [...data].filter((value, index) => index % 4 === 0 && value < 100).length;
  });
  expect(dark).toBeGreaterThan(50);
  await expect(dialog).toContainText('1 page, the first one is shown · about');
  await expectNoFault(page, 'PDF preview');
  await page.keyboard.press('Escape');
  await expect(card).toContainText('1 page');
  await page.getByRole('button', { name: 'Open damaged.pdf' }).click();
  await expect(page.getByRole('dialog', { name: 'damaged.pdf' })).toContainText('locked or damaged');
});

import type { Page } from '@playwright/test';
import { startUpstream } from '../support/upstream.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, capMessages, chooseModel, ended, message, openChat } from './chat.ts';
import { booked, dollars } from './money.ts';
import { stored } from './stored.ts';

const total = (page: Page) => page.getByRole('button', { name: /Cost of this chat/ });
/** A PNG of one red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

test('a draft and what waits behind an answer are there after kill -9, and are sent in order once the user goes on', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
  await first.page.getByRole('button', { name: 'Try it now' }).click();
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
  await first.kill();

  const { page } = await launch({ dataFolder: first.dataFolder, paced: true });
  await openChat(page, /Write slowly/);
  await expect(message(page)).toHaveValue('half a thou');
  const waiting = page.getByRole('region', { name: 'Waiting messages' });
  await expect(waiting.getByRole('listitem')).toHaveText([/Then this/, /And that/]);
  await waiting.getByRole('button', { name: 'Go on with these' }).click();
  await expect(articles(page).filter({ hasText: 'Then this' }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(waiting.getByRole('listitem')).toHaveText([/And that/]);
});

test('a quote comes before, a bill that adds up comes after, and the chat’s total is what the ledger has', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Reasoner');
  await message(page).fill('How does the ledger work?');
  const quote = page.getByRole('button', {
    name: /^(about \$[\d.]+, )?(at most|seldom over) \$[\d.]+, [\d,]+ tokens in/,
  });
  await expect(quote).toBeVisible();
  await quote.click();
  await expect(page.getByRole('dialog', { name: 'Expected cost' })).toContainText('Quoted by the gateway');
  await expectNoFault(page, 'quote');
  const high = dollars(await page.getByRole('row', { name: /At most/ }).textContent());
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
  await expect.poll(async () => dollars(await total(page).textContent())).toBe(cost + second);
  expect(await booked(page, 'Sandbox Reasoner', 2)).toBe(-(cost + second));
});

test('a model that reads no images says so before anything is sent, and text goes to every model', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  const attach = page.locator('input[type=file]').first();
  await attach.setInputFiles({ name: 'column.png', mimeType: 'image/png', buffer: png });
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

test('prompts, a model for one message, what was sent before and chat settings need no mouse', async ({ launch }) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  await chooseModel(page, 'GPT-4o mini');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Prompts & presets' }).click();
  await page.getByRole('button', { name: 'Add prompt' }).click();
  await page.keyboard.type('Translate');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Say {{words}} in {{language}}.');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Prompts' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit Translate' })).toBeVisible();
  await page.getByRole('button', { name: 'Add preset' }).press('Enter');
  await page.keyboard.type('Terse');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Answer in one word.');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Edit Terse' })).toBeVisible();
  await expectNoFault(page, 'prompts and presets');

  await page.keyboard.press('ControlOrMeta+Shift+o');
  await page.getByRole('button', { name: 'Chat settings' }).press('Enter');
  await page.getByRole('button', { name: 'Terse' }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveValue('Answer in one word.');
  await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0.5');
  await expectNoFault(page, 'chat settings');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();

  await message(page).focus();
  await page.keyboard.type('/trans');
  await expect(page.getByRole('option', { name: /Translate/ })).toBeVisible();
  await expectNoFault(page, 'prompt menu');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'words' })).toBeFocused();
  await page.keyboard.type('eight columns');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Greek');
  await page.getByRole('button', { name: 'Insert' }).press('Enter');
  await expect(message(page)).toHaveValue('Say eight columns in Greek.');
  await message(page).press('Enter');
  await ended(articles(page).nth(1));
  const [body = ''] = upstream.bodies();
  expect(body).toContain('Answer in one word.');
  expect(body).toContain('"temperature":0.5');

  await message(page).press('ArrowUp');
  await expect(message(page)).toHaveValue('Say eight columns in Greek.');
  await message(page).fill('');
  await page.keyboard.type('@haiku-4');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Only this one: Claude Haiku 4')).toBeVisible();
  await page.keyboard.type('Once more');
  await page.keyboard.press('Enter');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toContainText('Claude Haiku 4');
  await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText('GPT-4o mini');
  await upstream.stop();
});

test('a cap stops a message that might exceed it, and the user may send it all the same', async ({ launch }) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  await capMessages(page);
  await expectNoFault(page, 'caps');
  await page.getByRole('button', { name: 'New chat' }).click();
  await chooseModel(page, 'GPT-5');
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
  await upstream.stop();
});

test('a summary is quoted, written, itemised in the chat’s total, and stands for what it replaced', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  for (const [at, words] of ['first question', 'second question', 'third question'].entries()) {
    await ask(page, words);
    await ended(articles(page).nth(at * 2 + 1));
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
  await total(page).click();
  await expect(page.getByRole('row', { name: /of which summaries/ })).toBeVisible();
  await expect(page.getByText('4 requests.')).toBeVisible();
  await page.keyboard.press('Escape');
  const sum = dollars(await total(page).textContent());
  expect(await booked(page, 'Sandbox Echo', 4)).toBe(-sum);
});

test('a chat that summarises by itself says so before, and the summary is on the bill, by keyboard alone', async ({
  launch,
}) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  await chooseModel(page, 'GPT-4o mini');
  await page.getByRole('button', { name: 'Chat settings' }).press('Enter');
  await page.getByRole('switch', { name: 'Summarise automatically' }).press('Space');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  // Each about a third of what the model reads; all three are more than that.
  const long = (words: string) => `${words} ${'columns and numbers '.repeat(9_000)}`;
  for (const [at, words] of ['First', 'Second'].entries()) {
    await message(page).fill(long(words));
    await message(page).press('Enter');
    await ended(articles(page).nth(at * 2 + 1));
  }
  await message(page).fill(long('Third'));
  await expect(page.getByText(/the first \d messages are summarised before this one is sent, for/)).toBeVisible();
  await expectNoFault(page, 'a summary ahead');
  expect(upstream.calls()).toBe(2);
  await message(page).press('Enter');
  const answer = articles(page).nth(5);
  await ended(answer);
  await expect(answer).toContainText(/The first \d messages went as a summary that was written for this answer/);
  expect(upstream.calls()).toBe(4);
  await total(page).press('Enter');
  await expect(page.getByRole('row', { name: /of which summaries/ })).toBeVisible();
  await expect(page.getByText('4 requests.')).toBeVisible();
  await page.keyboard.press('Escape');
  const sum = dollars(await total(page).textContent());
  expect(await booked(page, /gpt.4o.mini/i, 4)).toBe(-sum);
  await upstream.stop();
});

test('Enter sends, Shift+Enter breaks the line, Escape stops', async ({ launch }) => {
  const { page } = await launch({ paced: true });
  await page.getByRole('button', { name: 'Try it now' }).click();
  // There is time to stop it.
  await chooseModel(page, 'Sandbox Slow');
  const field = message(page);
  await field.fill('one');
  await field.press('Shift+Enter');
  await page.keyboard.type('two');
  await expect(field).toHaveValue('one\ntwo');
  await page.keyboard.press('Enter');
  await expect(articles(page).first()).toContainText('one');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await ended(articles(page).nth(1));
});

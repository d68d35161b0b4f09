import { readFileSync } from 'node:fs';
import { fakePicture } from '../support/fake-data.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message, newChat, searchingModels } from './chat.ts';
import { bill, billed, columns, comparison } from './compared.ts';
import { amountIn, booked, chatTotal, dollars, getBalance, openingBalance } from './money.ts';

/** These tests have keys of real providers, whose place an independent mock takes. */
test.describe.configure({ mode: 'default' });
test.use({ starts: ({ upstream }, use) => use({ env: upstream.env }) });

const report = readFileSync(new URL('../support/documents/report.docx', import.meta.url));
for (const [provider, model] of [
  ['openai', 'GPT-5'],
  ['anthropic', 'Claude Sonnet 5'],
  ['google', 'Gemini 2.5 Flash'],
] as const) {
  test(`a model of ${provider} answers, its cost is charged to "your keys", and the ledger agrees`, async ({
    app: { page },
    upstream,
  }) => {
    await newChat(page, model);
    const before = await openingBalance(page);
    await ask(page, 'How many columns?');
    const answer = articles(page).nth(1);
    await ended(answer);
    await expect(answer).toContainText(upstream.answer);
    await expect(answer.getByText('Simulated')).toBeHidden();
    const cost = dollars(await answer.locator('footer').textContent());
    expect(cost).toBeGreaterThan(0n);
    await expect.poll(async () => (await getBalance(page)) - before).toBe(cost);
    await page.getByRole('link', { name: 'Credits' }).click();
    expect(await amountIn(page.getByRole('row').filter({ hasText: model }).first())).toBe(-cost);
  });
}

test('Auto never picks the sandbox once a real provider has a key', async ({ app: { page }, upstream }) => {
  await newChat(page, 'Auto');
  await ask(page, 'Hello');
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer).toContainText(upstream.answer);
  await expect(answer.getByText('Simulated')).toBeHidden();
  await expect(answer).toContainText('Auto:');
  expect(upstream.calls()).toBe(1);
});

test('real models are compared through the independent mock, and each request is billed to the nano-dollar', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-5');
  await page.getByRole('button', { name: 'Compare models' }).click();
  await searchingModels(page);
  await page.keyboard.type('claude haiku');
  await page
    .getByRole('option', { name: /Claude Haiku/ })
    .first()
    .click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('list', { name: 'Models to compare' }).getByRole('listitem')).toHaveCount(2);
  await ask(page, 'Do both have columns?');
  await expect(columns(page)).toHaveCount(2);
  for (const column of await columns(page).all()) await expect(column).toContainText(upstream.answer);
  await expect(bill(comparison(page))).toHaveCount(2);
  expect(upstream.calls()).toBe(2);
  const cost = await billed(page);
  expect(cost).toBeGreaterThan(0n);
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(cost);
  expect(await booked(page, 'Do both have columns?', 2)).toBe(-cost);
});

test('prompts, a model for one message, earlier messages and chat settings need no mouse', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-4o mini');
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
});

test('a chat that summarises automatically announces it first, and the summary is on the bill, by keyboard alone', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-4o mini');
  await page.getByRole('button', { name: 'Chat settings' }).press('Enter');
  await page.getByRole('switch', { name: 'Summarise automatically' }).press('Space');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  // Each text is about a third of the model's context window, so all three together don't fit.
  const long = (words: string) => `${words} ${'columns and numbers '.repeat(17_000)}`;
  for (const [index, words] of ['First', 'Second'].entries()) {
    await message(page).fill(long(words));
    await message(page).press('Enter');
    await ended(articles(page).nth(index * 2 + 1));
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
  await chatTotal(page).press('Enter');
  await expect(page.getByRole('row', { name: /of which summaries/ })).toBeVisible();
  await expect(page.getByText('4 requests.')).toBeVisible();
  await page.keyboard.press('Escape');
  const sum = dollars(await chatTotal(page).textContent());
  expect(await booked(page, /First columns and numbers/, 4)).toBe(-sum);
});

test('an image, a text file and a Word document are attached, read by the model, shown in the thread and sent again', async ({
  app: { page },
  upstream,
}) => {
  await newChat(page, 'GPT-5');
  const attach = page.locator('input[type=file]').first();
  await attach.setInputFiles([
    { name: 'column.png', mimeType: 'image/png', buffer: Buffer.from(fakePicture.base64, 'base64') },
    { name: 'notes.ts', mimeType: 'text/plain', buffer: Buffer.from('export const columns = 8;\n') },
    { name: 'report.docx', mimeType: 'application/octet-stream', buffer: report },
    { name: 'archive.zip', mimeType: 'application/zip', buffer: Buffer.from('504b03040a0000000000', 'hex') },
  ]);
  const files = page.getByRole('list', { name: 'Attached files' });
  await expect(files.getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('alert')).toContainText('archive.zip is a ZIP file');
  await expect(files).toContainText('1,000 tokens');
  await expectNoFault(page, 'attachments');
  await ask(page, 'What is in these?');
  await ended(articles(page).nth(1));
  const own = articles(page).nth(0);
  await expect(own.getByRole('button', { name: 'Open column.png' }).locator('img')).toBeVisible();
  await own.getByRole('button', { name: 'Open notes.ts' }).click();
  await expect(page.getByRole('dialog')).toContainText('columns = 8');
  await page.keyboard.press('Escape');
  await own.getByRole('button', { name: 'Open report.docx' }).click();
  await expect(page.getByRole('dialog')).toContainText('costs stayed *below* the estimate');
  await page.keyboard.press('Escape');
  // The document was read, but has no picture.
  await expect(own.getByRole('button', { name: 'Open report.docx' }).locator('img')).toHaveCount(0);
  await ask(page, 'And again?');
  await ended(articles(page).nth(3));
  const bodies = upstream.bodies();
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body).toContain(`data:image/png;base64,${fakePicture.base64}`);
    expect(body).toContain('columns = 8');
    expect(body).toContain('| Stone | 1,250.00 |');
  }
  const costs = await Promise.all(
    [1, 3].map(async (index) => dollars(await articles(page).nth(index).locator('footer').textContent())),
  );
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe((costs[0] ?? 0n) + (costs[1] ?? 0n));
});

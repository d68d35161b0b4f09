import '../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { knownProviders } from '#shared/known-providers.ts';
import { fakeData } from '../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';
import { settingPlaces } from './setting-entries.ts';

afterEach(async () => {
  await closeApp();
  await page.viewport(1280, 800);
});

const field = page.getByRole('combobox', { name: /Search chats/ });
const [first] = fakeData().conversations;
const chat = `#chat/${first?.id}`;
const opened = () => expect.element(page.getByRole('log', { name: 'Conversation' })).toBeVisible();

async function run(query: string, hash = chat) {
  const fake = await openApp(hash);
  if (hash.startsWith('#chat/')) await opened();
  await userEvent.keyboard('{Control>}k{/Control}');
  await field.fill(query);
  return fake;
}

test('text typed while the palette is opening goes into the palette and nowhere else', async () => {
  await openApp('#chat');
  await userEvent.keyboard('{Control>}k{/Control}usagx{Backspace}e');
  await expect.element(field).toHaveValue('usage');
  await userEvent.keyboard(' page');
  await expect.element(field).toHaveValue('usage page');
  await userEvent.keyboard('{Escape}');
  await expect.element(field).not.toBeInTheDocument();
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(field).toHaveValue('');
});

test('an action of the open chat is found by some of its letters and run with Enter', async () => {
  await run('rnme cht');
  await expect.element(page.getByRole('option', { name: /Rename chat/ })).toHaveAttribute('data-highlighted');
  await userEvent.keyboard('{Enter}');
  const dialog = page.getByRole('dialog', { name: 'Rename chat' });
  await expect.element(dialog.getByLabelText('Title')).toHaveFocus();
  // A second dialog must not open over the first.
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(field).not.toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
});

test('unavailable actions are not offered, and available ones are named by their state', async () => {
  await run('', '#chat');
  await expect.element(page.getByRole('option', { name: /New chat/ })).toBeVisible();
  await expect.element(page.getByRole('option', { name: /Rename chat/ })).not.toBeInTheDocument();
  await closeApp();
  await openApp(chat, {
    conversations: fakeData().conversations.map((conversation) => ({ ...conversation, pinned: true })),
  });
  await opened();
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(page.getByRole('option', { name: /Unpin chat/ })).toBeVisible();
  for (const name of [
    /Duplicate chat/,
    /Fork into a new chat/,
    /Export chat/,
    /Archive chat/,
    /Copy the last answer/,
    /Retry the last answer$/,
  ])
    await expect.element(page.getByRole('option', { name })).toBeInTheDocument();
});

test('the action that was run last is listed first the next time', async () => {
  const fake = await run('usage');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible();
  await expect.poll(() => fake.data.settings.recentActions).toEqual(['action:usagePage']);
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(page.getByRole('option').first()).toMatchTextContent(/^Usage/);
});

test('a message is found by its words and opened in its chat', async () => {
  const message = fakeData().messages.find(
    ({ conversationId, role }) => conversationId === first?.id && role === 'user',
  );
  const word =
    message?.text
      .split(' ')
      .find((word) => word.length > 5)
      ?.replace(/\W/g, '') ?? '';
  await run(word, '#models');
  const group = page.getByRole('group', { name: 'Messages' });
  await expect.element(group.getByRole('option').first()).toMatchTextContent(word);
  await expect.poll(() => document.querySelector('[role="option"] mark')?.textContent?.toLowerCase()).toBeTruthy();
  await group.getByRole('option').first().click();
  await expect.poll(() => location.hash).toMatch(/^#chat\/[^/]+\/[^/]+$/);
});

test('a model can be chosen for the open chat', async () => {
  await run('haiku');
  await page.getByRole('option', { name: /Claude Haiku 5/ }).click();
  expect(location.hash).toBe(chat);
  await expect.element(page.getByRole('combobox', { name: 'Model' })).toMatchTextContent('Claude Haiku 5');
});

test('a setting is found by its name and its control is focused', async () => {
  await run('density');
  await page.getByRole('option', { name: /^Density/ }).click();
  await expect.poll(() => location.hash).toBe('#settings/appearance/Density');
  await expect.element(page.getByRole('button', { name: 'Comfortable' })).toHaveFocus();
});

test.each([
  ['a browser', false],
  ['the installed app', true],
])('every setting that the palette offers exists in %s', async (_, installed) => {
  const { app } = fakeData();
  const own = { tray: installed, spellCheck: installed };
  const capabilities = { ...app.capabilities, ...own };
  await openApp('#settings/about', { app: { ...app, capabilities } });
  const served = new Set(fakeData().providers.map(({ name }) => name));
  const unserved = knownProviders.flatMap(({ name }) => (served.has(name) ? [] : [name]));
  for (const { section, setting } of settingPlaces(capabilities, [])) {
    if (setting === null || unserved.includes(setting)) continue;
    location.hash = `#settings/${section}`;
    await expect
      .poll(() => document.querySelector(`[data-setting="${CSS.escape(setting)}"]`), {
        message: `${section}/${setting}`,
      })
      .toBeTruthy();
  }
});

test('a query without matches is reported and can be sent as a question', async () => {
  await run('qqzzyyxx', '#models');
  await expect.element(page.getByText('Nothing is called or says “qqzzyyxx”.').last()).toBeVisible();
  await page.getByRole('option', { name: /Ask “qqzzyyxx”/ }).click();
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('qqzzyyxx');
});

test('a saved prompt is found by its name, filled in by keyboard and added below the existing text', async () => {
  const fake = await openApp(chat);
  await opened();
  fake.composer.prompts.push({ id: 'p1', name: 'Translate', text: 'Translate into {{language}}.' });
  fake.changed('prompts');
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Good morning');
  await userEvent.keyboard('{Control>}k{/Control}');
  await field.fill('translat');
  await page
    .getByRole('option', { name: /^Translate/ })
    .first()
    .click();
  await expect.element(page.getByRole('textbox', { name: 'language' })).toHaveFocus();
  await userEvent.keyboard('German{Control>}{Enter}{/Control}');
  await expect
    .element(page.getByRole('textbox', { name: 'Message', exact: true }))
    .toHaveValue('Good morning\n\nTranslate into German.');
  await expect.element(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveFocus();
});

test('an action is found by the name that other programs use for it', async () => {
  await run('project');
  await expect.element(page.getByRole('option', { name: /^New folder/ })).toBeVisible();
});

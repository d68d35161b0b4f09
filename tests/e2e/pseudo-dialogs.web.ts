import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './app.ts';
import { begin, inPseudoLanguage, pseudo, type Walk } from './pseudo-words.ts';

/** The parts that the walk through the views doesn't open: menus, dialogs, and errors that are caused on purpose. */

const providerMessage = 'Incorrect API key provided.';
const question = 'Tell me about the ledger';
const fileName = 'plan.txt';
const serverName = 'Nowhere';

let provider: Server;
test.beforeEach(async () => {
  provider = createServer((_, response) => {
    response.writeHead(401).end(JSON.stringify({ error: { message: providerMessage, code: 'invalid_api_key' } }));
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
});
test.afterEach(() => provider.close());

test('in another language no dialog, menu or error is left in English', async ({ launch, folder }) => {
  // This is the longest walk: on two busy cores it needs more than the usual time limit.
  test.slow();
  const dataFolder = await inPseudoLanguage(folder, { confirmRoute: true });
  const { port } = provider.address() as AddressInfo;
  const { page } = await launch({ dataFolder, env: refusing(`http://127.0.0.1:${port}`), paced: true });
  const { left, walk } = await begin({ page, dataFolder }, [
    question,
    'fetch_page',
    fileName,
    serverName,
    providerMessage,
  ]);
  for (const part of [composer, answers, chats, providers, gateway, tools, library, data]) await part(walk);
  expect(left).toEqual({});
});

/** A provider whose key the user enters, and a provider that has its key already. Both keys are refused. */
const refusing = (address: string) => ({
  OPENAI_BASE_URL: `${address}/v1`,
  ANTHROPIC_BASE_URL: address,
  ANTHROPIC_API_KEY: 'sk-ant-wrong-0123456789',
});

/** The composer's menus, attachments, and a chat's settings. */
async function composer({ page, go, read, button, open, message }: Walk): Promise<void> {
  await go('#chat');
  await message.pressSequentially('/');
  await page.getByText(pseudo('No saved prompts yet. Add some in Settings.')).waitFor();
  await read('no prompts to insert');
  await message.fill('');
  await message.pressSequentially('@');
  await open('models to mention', async () => {});
  await message.fill('');
  await open('no such model', async () => {
    await page.getByRole('combobox', { name: pseudo('Model'), exact: true }).click();
    await page.keyboard.type('zzz');
  });
  const files = page.locator('input[type=file]');
  await files.setInputFiles({ name: fileName, mimeType: 'text/plain', buffer: Buffer.from([0, 1, 2, 0xff, 0xfe]) });
  await expect(page.getByText(/⟦.*plan\.txt is /).first()).toBeVisible();
  await read('a file that is not taken');
  await files.setInputFiles({ name: fileName, mimeType: 'text/plain', buffer: Buffer.from('One two three.') });
  await expect(page.getByText(/⟦.* tokens/).first()).toBeVisible();
  await read('an attached file');
  await page.getByRole('button', { name: /^⟦Remove plan/ }).click();
  await open('chat settings', () => button('Chat settings').click());
  await button('Compare models').click();
  await read('comparing');
  await button('Stop comparing').click();
  await go('#models');
}

/** An answer with all its actions, an answer that fails, and the question before Auto sends. */
async function answers({ page, go, read, button, open, openAll, message, choose }: Walk): Promise<void> {
  const article = page.getByRole('article');
  await go('#chat');
  await choose('Sandbox Echo');
  await message.fill(question);
  await button('Send').click();
  await button('Regenerate', article.nth(1)).waitFor();
  await openAll('an answer', page.getByRole('main'));
  await button('Regenerate', article.nth(1)).click();
  await page.getByRole('group', { name: pseudo('Versions') }).waitFor();
  await button('Regenerate', article.nth(1)).waitFor();
  await button('Edit message', article.first()).click();
  await read('another wording');
  await button('Cancel').click();
  await button('Delete message', article.first()).click();
  await button('Undo').first().waitFor();
  await read('a message is deleted');
  await button('Undo').first().click();
  await button('Regenerate', article.nth(1)).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('zzz');
  await read('nothing found');
  await page.keyboard.press('Escape');
  await choose(pseudo('Auto'));
  await message.fill(question);
  await open('what Auto would ask', () => button('Send').click());
  await choose('Sandbox Slow');
  await button('Send').click();
  await button('Stop').waitFor();
  await message.fill(question);
  await button('Queue message').click();
  await button('Edit waiting message').waitFor();
  await read('a message that waits');
  await button('Stop').click();
  await button('Go on with these').waitFor();
  await read('an answer that was stopped');
  await button('Remove waiting message').click();
  await go('#chat');
  await choose('Sandbox Flaky');
  await message.fill(question);
  await button('Send').click();
  await button('Retry', article.nth(1)).waitFor();
  await read('an answer that failed');
}

/** The actions on one chat, on several, and on chats in the trash. */
async function chats({ page, go, read, button, open }: Walk): Promise<void> {
  const item = (english: string) => page.getByRole('menuitem', { name: pseudo(english), exact: true });
  for (const action of ['Rename', 'Move to folder…', 'Tags…', 'Export…']) {
    await open(action, async () => {
      await button('Chat actions').click();
      await item(action).click();
      await page.getByRole('dialog').waitFor();
    });
  }
  await button('Chat actions').click();
  await item('Move to folder…').click();
  await page.getByLabel(pseudo('New folder'), { exact: true }).fill(serverName);
  await page.keyboard.press('Enter');
  const folder = page.getByRole('button', { name: new RegExp(`^⟦${serverName}, `) });
  await open('a folder', () => folder.click({ button: 'right' }));
  await open('a new folder', () => button('New folder').click());
  await go('#chats/all');
  const search = page.getByRole('searchbox');
  await search.fill('pinned:perhaps folder:nowhere');
  await expect(page.getByText(/⟦pinned: is yes or no/)).toBeVisible();
  await read('a search that is not understood');
  await search.fill('');
  await page.getByRole('checkbox').first().check();
  await read('chats selected');
  // The toast of the move before stays as long as the pointer is near it.
  await expect(button('Undo')).toHaveCount(0);
  await button('Move to trash').click();
  await button('Undo').first().waitFor();
  await read('a chat in the trash');
  await button('Undo').hover();
  await button('Dismiss').click();
  await go('#chats/trash');
  await open('empty the trash', () => button('Empty trash').click());
  await page.getByRole('checkbox').first().check();
  await open('delete for good', () => button('Delete for good').click());
  await open('keyboard shortcuts', () => page.keyboard.press('Control+/'));
}

/** Keys that are refused, and servers that don't answer. */
async function providers({ page, go, read, button, field }: Walk): Promise<void> {
  await go('#settings/providers');
  const edit = (action: string, name: string) =>
    page.getByRole('button', { name: new RegExp(`^⟦${pseudo(action)} \\(${name}\\)`) });
  await edit('Add key', 'OpenAI').click();
  await field('API key').fill('sk-wrong-0123456789');
  await button('Check and save').click();
  await expect(page.getByText(providerMessage).or(page.getByText(/⟦OpenAI refused/))).toBeVisible();
  await read('a refused key');
  await button('Cancel').click();
  await edit('Set up', 'Ollama').click();
  await field('Base URL').fill('http://127.0.0.1:1/v1');
  await button('Check and save').click();
  await expect(page.getByRole('listitem', { name: 'Ollama' })).toContainText(/⟦Ollama could not be reached/);
  await read('a server that does not answer');
  await button('Add a server').click();
  await read('a server of one’s own');
  await button('Cancel').click();
}

/** An address without a gateway, and a key for another program. */
async function gateway({ page, go, read, button, open, field }: Walk): Promise<void> {
  await go('#settings/gateway');
  await field('Base URL').fill('http://127.0.0.1:1');
  await field('API key or token').fill('sk-portico-wrong');
  await button('Connect').click();
  await expect(page.getByText(/⟦The gateway at http:\/\/127.0.0.1:1 did not answer/).first()).toBeVisible();
  await read('a gateway that does not answer');
  await field('Port').fill('0');
  await read('no port');
  await button('Make a key').click();
  await field('Name').fill(serverName);
  await field('Limit, USD').fill('much');
  await read('no amount');
  await field('Limit, USD').fill('');
  await button('Make key').click();
  await button('Done').waitFor();
  await read('a new key');
  await button('Done').click();
  for (const doing of ['Name, limit and end', 'Rotate', 'Revoke']) {
    await page.getByRole('button', { name: new RegExp(`^⟦Change ${serverName}`) }).click();
    await open(`${doing} of a key`, () => page.getByRole('menuitem', { name: pseudo(doing), exact: true }).click());
  }
}

/** Tool servers: entered, imported, confirmed and refused. */
async function tools({ page, go, read, button, open, field, message, choose }: Walk): Promise<void> {
  await go('#settings/tools');
  await button('Import').click();
  const json = field('Settings of another program');
  await json.fill('no JSON');
  await button('Import', page.getByRole('dialog')).click();
  await expect(
    page.getByText(pseudo('This is not JSON. Paste the settings file of the other program as it is.'), {
      exact: false,
    }),
  ).toBeVisible();
  await read('no settings file');
  await json.fill(JSON.stringify({ mcpServers: { [serverName]: { command: fileName }, [fileName]: {} } }));
  await button('Import', page.getByRole('dialog')).click();
  await button('Done').waitFor();
  await read('servers imported');
  await button('Done').click();
  await open('a new server', () => button('Add server').click());
  const row = (action: string) => page.getByRole('button', { name: new RegExp(`^⟦${pseudo(action)} ${serverName}`) });
  await row('Test').click();
  await row('Stop asking').waitFor();
  await read('a person is asked');
  await row('Stop asking').click();
  await row('Stop asking').waitFor({ state: 'detached' });
  await read('a question that was refused');
  await open('remove a server', () => row('Remove').click());
  await page.getByRole('switch', { name: pseudo('Fetch a page') }).click();
  await go('#chat');
  await choose('Sandbox Tools');
  await message.fill('fetch_page');
  await button('Send').click();
  await button('Don’t allow').waitFor();
  await read('a tool that asks');
  await button('Don’t allow').click();
  await button('Regenerate').waitFor();
  await read('a tool that was not allowed');
}

/** Prompts, presets and caps, and a message that exceeds a cap. */
async function library({ page, go, read, button, open, message, choose }: Walk): Promise<void> {
  await go('#settings/prompts');
  await open('a new prompt', () => button('Add prompt').click());
  await open('a new preset', () => button('Add preset').click());
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: fileName, mimeType: 'application/json', buffer: Buffer.from('{}') });
  await expect(page.getByText(pseudo('This file is not an export of Portico’s prompts or presets.'))).toBeVisible();
  await read('no prompts in a file');
  await go('#settings/caps');
  const cap = page.getByRole('textbox').first();
  await cap.fill('much');
  await read('no cap');
  await cap.fill('0.000001');
  await button('Save caps').click();
  await page.getByText(pseudo('Caps saved')).waitFor();
  await go('#chat');
  await choose('Claude Sonnet 5');
  await message.fill(question);
  await button('Send').click();
  await button('Send once anyway').waitFor();
  await read('over a cap');
  await button('Send once anyway').click();
  await page.getByRole('link', { name: pseudo('Check keys') }).waitFor();
  await read('a provider that refuses the key');
}

/** Imports that are refused, and a backup. */
async function data({ page, go, read, button, open, field }: Walk): Promise<void> {
  await go('#settings/data');
  const importing = (text: string) =>
    field('File to import').setInputFiles({ name: fileName, mimeType: 'application/json', buffer: Buffer.from(text) });
  await importing('{"broken":');
  await expect(page.getByText(/îñ thé mîddlé/).first()).toBeVisible();
  await read('an import that is refused');
  await open('an import', () => importing(JSON.stringify([{ mapping: {}, title: 'x' }, chatgpt])));
  await button('Back up now').click();
  const restore = page.getByRole('button', { name: new RegExp(`^⟦${pseudo('Restore')} `) }).first();
  await restore.waitFor();
  await read('a backup');
  await open('restore a backup', () => restore.click());
  await button('Export all chats').click();
  await page.getByText(pseudo('Exported'), { exact: true }).waitFor();
  await read('all chats exported');
}

const chatgpt = {
  id: 'g1',
  title: serverName,
  create_time: 1_700_000_000,
  update_time: 1_700_000_100,
  current_node: 'b',
  mapping: {
    b: {
      id: 'b',
      parent: null,
      message: {
        author: { role: 'user' },
        content: { content_type: 'text', parts: [serverName, { asset_pointer: 'x' }] },
      },
    },
  },
};

import '../../../ui/styles/theme.css';
import { ORPCError } from '@orpc/client';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { fakeTool, fakeToolsData } from '../../../../tests/support/fake-tools.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const button = (name: string) => page.getByRole('button', { name, exact: true });
const main = () => page.getByRole('main');
const dialog = (name: string) => page.getByRole('dialog', { name });
const useFiles = () => page.getByRole('switch', { name: 'Use the tools of Files' });

const files: ToolServer = {
  id: 'files',
  name: 'Files',
  enabled: false,
  allowed: true,
  state: 'off',
  problem: null,
  fingerprint: 'kept',
  changed: false,
  transport: { type: 'stdio', command: 'files', args: ['--root', '/tmp/a b'], folder: null, variables: ['TOKEN'] },
  tools: [fakeTool('read_file', 'Reads a file.')],
};
const open = (server: Partial<ToolServer> = {}) =>
  openApp('#settings/tools', { tools: { ...fakeToolsData(), servers: [{ ...files, ...server }] } });

test('a built-in tool stays off when switching it on fails, and the error is shown', async () => {
  const fake = await openApp('#settings/tools');
  const calculator = page.getByRole('switch', { name: 'Calculator' });
  await expect.element(calculator).not.toBeChecked();
  fake.fail('tools.enableBuiltIn', 'keychain_failed', 'The disk is full.');
  await calculator.click();
  await expect.element(page.getByRole('region', { name: 'Notifications' })).toMatchTextContent('The disk is full.');
  await expect.element(calculator).not.toBeChecked();
  fake.fail('tools.enableBuiltIn', null);
  await calculator.click();
  await expect.element(calculator).toBeChecked();
});

test('a program is added by keyboard, its secret is never shown again, and nothing is started', async () => {
  const fake = await openApp('#settings/tools');
  await expect.element(button('Add server')).toBeVisible();
  button('Add server').element().focus();
  await userEvent.keyboard('{Enter}Files');
  const form = dialog('Add a tool server');
  await form.getByLabelText('Command').fill('npx');
  await form.getByLabelText('Arguments').fill('--yes\nfiles-server\n\n/tmp/a b');
  await form.getByRole('button', { name: 'Add variable' }).click();
  await form.getByLabelText('Name 1').fill('MY TOKEN');
  await form.getByLabelText('Value 1').fill('very-secret-value');
  await expect.element(form).toMatchTextContent('Letters, digits and _');
  await expect.element(form.getByRole('button', { name: 'Save' })).toBeDisabled();
  await form.getByLabelText('Name 1').fill('MY_TOKEN');
  await expect.element(form.getByLabelText('Value 1')).toHaveAttribute('type', 'password');
  await form.getByLabelText('Name 1').click();
  await userEvent.keyboard('{Enter}');
  await expect.element(main()).toMatchTextContent('npx --yes files-server /tmp/a b · MY_TOKEN');
  await expect.element(useFiles()).not.toBeChecked();
  await expect.element(form).not.toBeInTheDocument();
  expect(document.documentElement.innerHTML).not.toContain('very-secret-value');
  expect(fake.calls).not.toContain('tools.testServer');
});

test('an invalid address cannot be saved, and a refusal by the core is shown in the form', async () => {
  const fake = await openApp('#settings/tools');
  await button('Add server').click();
  const form = dialog('Add a tool server');
  await form.getByLabelText('Name').fill('Far');
  await form.getByRole('button', { name: 'An address' }).click();
  await form.getByLabelText('Address').fill('ftp://tools.test');
  await expect.element(form).toMatchTextContent('begins with http:// or https://');
  await form.getByLabelText('Address').fill('https://tools.test/mcp');
  fake.fail('tools.addServer', 'keychain_locked', 'The keychain is locked.');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.element(form.getByRole('alert')).toMatchTextContent('The keychain is locked. Unlock your keychain');
  fake.fail('tools.addServer', null);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.element(main()).toMatchTextContent('https://tools.test/mcp');
});

test('a server is switched on only after its current tools were shown', async () => {
  const fake = await open();
  await useFiles().click();
  const question = dialog('Switch on Files?');
  await expect.element(question).toMatchTextContent('write_file');
  await expect.element(question).toMatchTextContent('files --root /tmp/a b');
  expect(fake.calls).not.toContain('tools.enableServer');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(useFiles()).not.toBeChecked();
  await useFiles().click();
  await question.getByRole('button', { name: 'Switch on' }).click();
  await expect.element(useFiles()).toBeChecked();
  await useFiles().click();
  await expect.element(useFiles()).not.toBeChecked();
});

test('switching a server on waits for the person’s consent outside the page, can be stopped, and a refusal changes nothing', async () => {
  const fake = await openApp('#settings/tools', {
    tools: { ...fakeToolsData(), servers: [{ ...files, allowed: false, tools: [] }] },
  });
  await expect.element(main()).toMatchTextContent('asks you first, outside this page');
  expect(button('Withdraw consent Files').elements()).toHaveLength(0);
  const { tools } = fake.data;
  const asking = (state: ToolServer['state']) => {
    tools.servers = tools.servers.map((server) => ({ ...server, state }));
    fake.changed('tools');
  };
  tools.askPerson = (signal) =>
    new Promise((_, reject) => {
      asking('asking');
      signal?.addEventListener('abort', () => {
        asking('off');
        reject(new Error('given up'));
      });
    });
  useFiles().element().focus();
  await userEvent.keyboard(' ');
  await expect.element(main()).toMatchTextContent('Until you say yes nothing runs.');
  await expect.element(useFiles()).toHaveFocus();
  await expect.element(useFiles()).not.toBeChecked();
  await button('Stop asking Files').click();
  await expect.element(button('Stop asking Files')).not.toBeInTheDocument();
  await expect.element(main()).not.toMatchTextContent('Not tested');

  tools.askPerson = async () => {
    throw new ORPCError('not_confirmed', { message: 'Nothing was started: nobody said yes to it.' });
  };
  await useFiles().click();
  await expect.element(main()).toMatchTextContent('nobody said yes to it');
  await expect.element(useFiles()).not.toBeChecked();
  expect(dialog('Switch on Files?').elements()).toHaveLength(0);

  tools.askPerson = async () => {};
  await useFiles().click();
  await dialog('Switch on Files?').getByRole('button', { name: 'Switch on' }).click();
  await expect.element(useFiles()).toBeChecked();
  await expect.element(main()).not.toMatchTextContent('nobody said yes');
  await button('Withdraw consent Files').click();
  await expect.element(useFiles()).not.toBeChecked();
});

test('invisible characters in a command line are spelled out', async () => {
  await open({ transport: { ...files.transport, args: ['exe\u202efdp', 'a\nb'] } as ToolServer['transport'] });
  await expect.element(main()).toMatchTextContent('files exe\\u{202e}fdp a\\nb · TOKEN');
});

test('an enabled server without consent on this computer is held back and marked', async () => {
  await open({ enabled: true, state: 'ready', allowed: false });
  await expect.element(main()).toMatchTextContent('Held back: nobody has agreed on this computer');
  await button('Look again Files').click();
  await dialog('Switch on Files?').getByRole('button', { name: 'Switch on' }).click();
  await expect.element(main()).not.toMatchTextContent('Held back');
});

test('a server that cannot be reached shows the reason and stays off', async () => {
  await open({ transport: { type: 'stdio', command: 'missing', args: [], folder: null, variables: [] } });
  await useFiles().click();
  await expect.element(main()).toMatchTextContent('spawn missing ENOENT');
  await expect.element(useFiles()).not.toBeChecked();
  expect(dialog('Switch on Files?').elements()).toHaveLength(0);
});

test('a changed server is marked until it is reviewed again', async () => {
  await open({ enabled: true, state: 'ready', changed: true });
  await expect.element(main()).toMatchTextContent('held back until you look at it again');
  await button('Look again Files').click();
  await dialog('Switch on Files?').getByRole('button', { name: 'Switch on' }).click();
  await expect.element(button('Look again Files')).not.toBeInTheDocument();
});

test('a server is edited without entering its secret again, and removed after a confirmation', async () => {
  const fake = await open();
  await button('Edit Files').click();
  const form = dialog('Edit Files');
  await expect.element(form.getByLabelText('Name 1')).toHaveValue('TOKEN');
  await expect.element(form.getByLabelText('Value 1')).toHaveValue('');
  await form.getByLabelText('Command').fill('other-files');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.element(main()).toMatchTextContent('other-files --root /tmp/a b · TOKEN');
  await button('Remove Files').click();
  expect(fake.data.tools.servers).toHaveLength(1);
  await dialog('Remove Files?').getByRole('button', { name: 'Remove' }).click();
  await expect.element(main()).toMatchTextContent('No servers yet.');
});

test('servers are imported from pasted settings, switched off, and skipped ones are listed', async () => {
  const fake = await openApp('#settings/tools');
  await button('Import').click();
  const form = dialog('Import tool servers');
  fake.fail('tools.importServers', 'invalid_input', 'This is not JSON.');
  await form.getByLabelText('Settings of another program').fill('{');
  await form.getByRole('button', { name: 'Import' }).click();
  await expect.element(form.getByRole('alert')).toMatchTextContent('This is not JSON.');
  fake.fail('tools.importServers', null);
  await form.getByLabelText('Settings of another program').fill('{"mcpServers":{"Files":{"command":"files"}}}');
  await form.getByRole('button', { name: 'Import' }).click();
  await expect.element(form).toMatchTextContent('1 server added, switched off');
  await expect.element(form).toMatchTextContent('broken: It has neither');
  await form.getByRole('button', { name: 'Done' }).click();
  await expect.element(useFiles()).not.toBeChecked();
});

test('permissions are listed with their chat and can be withdrawn', async () => {
  const grant = { serverId: 'files', serverName: 'Files', tool: 'read_file', grantedAt: 1 };
  const [chat] = fakeData().conversations;
  if (!chat) throw new Error('The fake core has chats');
  const permissions = [
    { ...grant, id: 'one', conversationId: null },
    { ...grant, id: 'two', tool: 'write_file', conversationId: chat.id },
  ];
  await openApp('#settings/tools', { tools: { ...fakeToolsData(), permissions } });
  await expect.element(main()).toMatchTextContent('read_file of Files in every chat');
  await expect.element(main()).toMatchTextContent(`write_file of Files in “${chat.title}”`);
  await button('Take back read_file of Files').click();
  await button('Take back write_file of Files').click();
  await expect.element(main()).toMatchTextContent('Nothing is permitted');
});

import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { fakeModel } from '../../../../tests/support/fake-models.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const house = fakeModel({
  provider: 'cellar',
  owner: 'The cellar',
  model: 'house',
  name: 'House model',
  context: 8000,
  prompt: '1',
  completion: '2',
});

test('an added server can be used for new chats, even when the window learns of it before the form does', async () => {
  const { models } = fakeData();
  const fake = await openApp('#settings/providers', { models: [...models, house] });
  fake.hold('providers.saveServer: list its models', true);
  await page.getByRole('button', { name: 'Add a server' }).click();
  const form = page.getByRole('form', { name: 'Add a server' });
  await form.getByLabelText('Name', { exact: true }).fill('Cellar');
  await form.getByLabelText('Base URL').fill('https://cellar.test/v1');
  await userEvent.keyboard('{Enter}');
  const row = page.getByRole('listitem', { name: 'Cellar' });
  await expect.element(row).toMatchTextContent('Works');
  await expect.element(form).toBeVisible();
  fake.hold('providers.saveServer: list its models', false);
  await expect.element(form).not.toBeInTheDocument();
  await row.getByRole('button', { name: 'Use House model for new chats' }).click();
  await expect.element(row.getByRole('status')).toMatchTextContent('New chats start with');
});

test('the model for new chats keeps its mark when the server later lists a better one', async () => {
  const { models } = fakeData();
  const fake = await openApp('#settings/providers', { models: [...models, house] });
  await page.getByRole('button', { name: 'Add a server' }).click();
  const form = page.getByRole('form', { name: 'Add a server' });
  await form.getByLabelText('Name', { exact: true }).fill('Cellar');
  await form.getByLabelText('Base URL').fill('https://cellar.test/v1');
  await userEvent.keyboard('{Enter}');
  const row = page.getByRole('listitem', { name: 'Cellar' });
  await row.getByRole('button', { name: 'Use House model for new chats' }).click();
  await expect.element(row.getByRole('status')).toMatchTextContent('New chats start with House model');
  fake.data.models.push({ ...house, id: 'cellar/best', model: 'best', name: 'Best model', quality: 0.9 });
  const asked = fake.calls.filter((call) => call === 'models.list').length;
  fake.changed('models');
  await expect.poll(() => fake.calls.filter((call) => call === 'models.list').length).toBe(asked + 1);
  await expect.element(page.getByRole('button', { name: /^Use .* for new chats$/ })).not.toBeInTheDocument();
  await expect.element(row.getByRole('status')).toMatchTextContent('New chats start with House model');
});

test('an unsaved server form is restored after leaving the page, without its secrets, until it is cancelled', async () => {
  await openApp('#settings/providers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const form = page.getByRole('form', { name: 'Add a server' });
  const name = form.getByLabelText('Name', { exact: true });
  const key = form.getByLabelText('API key (may be empty)');
  await name.fill('Cellar');
  await form.getByLabelText('Base URL').fill('https://cellar.test/v1');
  await key.fill('sk-cellar');
  await form.getByRole('button', { name: 'Add a header' }).click();
  await form.getByLabelText('Header 1').fill('X-Team');
  await form.getByLabelText('Minutes for an answer (may be empty)').fill('90');
  await form.getByLabelText('Value 1').fill('secret');
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect.element(name).toHaveValue('Cellar');
  await expect.element(form.getByLabelText('Base URL')).toHaveValue('https://cellar.test/v1');
  await expect.element(form.getByLabelText('Header 1')).toHaveValue('X-Team');
  await expect.element(form.getByLabelText('Minutes for an answer (may be empty)')).toHaveValue(90);
  await expect.element(form.getByLabelText('Value 1')).toHaveValue('');
  await expect.element(key).toHaveValue('');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect.element(page.getByRole('button', { name: 'Add a server' })).toBeVisible();
});

test('unsaved key and gateway forms are restored without their secrets', async () => {
  await openApp('#settings/providers');
  const elsewhere = async () => {
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await expect.element(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
    await page.getByRole('button', { name: 'Back' }).click();
  };
  const row = page.getByRole('listitem', { name: 'OpenAI', exact: true });
  const edit = row.getByRole('button', { name: 'Replace (OpenAI)' });
  await edit.click();
  await row.getByRole('button', { name: 'Use another address' }).click();
  await row.getByLabelText('Base URL').fill('https://proxy.test/v1');
  await row.getByLabelText('API key').fill('sk-secret');
  await elsewhere();
  await expect.element(row.getByLabelText('Base URL')).toHaveValue('https://proxy.test/v1');
  await expect.element(row.getByLabelText('API key')).toHaveValue('');
  await row.getByRole('button', { name: 'Cancel' }).click();
  await elsewhere();
  await expect.element(edit).toBeVisible();
  await expect.element(row.getByLabelText('Base URL')).not.toBeInTheDocument();

  await page.getByRole('link', { name: 'Gateway', exact: true }).click();
  const form = page.getByRole('form', { name: 'Connect to another gateway' });
  await form.getByLabelText('Base URL').fill('https://gateway.test');
  await form.getByLabelText('Name (may be empty)').fill('Office');
  await elsewhere();
  await expect.element(form.getByLabelText('Base URL')).toHaveValue('https://gateway.test');
  await expect.element(form.getByLabelText('Name (may be empty)')).toHaveValue('Office');
});

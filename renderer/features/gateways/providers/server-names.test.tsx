import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { FakeCore } from '../../../../tests/support/fake-core.ts';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { fakeModel } from '../../../../tests/support/fake-models.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const sketch = { provider: 'in-the-cellar', owner: 'in-the-cellar', context: 8000, prompt: '1', completion: '2' };
const house = fakeModel({ ...sketch, model: 'house', name: 'House model' });
const locked = fakeModel({ ...sketch, model: 'locked', name: 'Locked model', status: 'no_credential' });
const { models, providers } = fakeData();
const server = { kind: 'openai-compatible' as const, apiVersion: null, models: [], headerNames: [] };
const cellar = { ...providers[0], id: 'in-the-cellar', name: 'In the Cellar', ownServer: true, server };

const openHouse = (hash: string, options?: Parameters<typeof openApp>[2]) =>
  openApp(
    hash,
    { models: [...models, house, locked], providers: [...providers, structuredClone(cellar) as (typeof providers)[0]] },
    options,
  );

function rename(fake: FakeCore, name: string): void {
  const found = fake.data.providers.find(({ id }) => id === cellar.id);
  if (!found) throw new Error('the server is there');
  found.name = name;
  fake.changed('providers');
}

const shown = () => document.body.textContent;

test('the picker groups a server’s models under the server’s name and finds them by it', async () => {
  const fake = await openHouse('#chat');
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await expect.element(page.getByRole('group', { name: 'In the Cellar' })).toMatchTextContent('House model');
  rename(fake, 'Attic');
  await expect.element(page.getByRole('group', { name: 'Attic' })).toMatchTextContent('House model');
  await userEvent.keyboard('attic');
  await expect.element(page.getByRole('option', { name: /House model/ })).toHaveAttribute('data-highlighted');
});

test('the models table, its filter and a model’s sheet show the server’s name', async () => {
  const fake = await openHouse('#models');
  const search = page.getByRole('searchbox');
  await search.fill('the cellar');
  await expect.element(page.getByRole('row', { name: /House model/ })).toMatchTextContent('In the Cellar');
  await page.getByRole('button', { name: 'Provider' }).click();
  await expect.element(page.getByRole('menuitemcheckbox', { name: 'In the Cellar' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'Locked model', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Add a key for In the Cellar' })).toBeVisible();
  rename(fake, 'Attic');
  await expect.element(page.getByRole('button', { name: 'Add a key for Attic' })).toBeVisible();
  await expect.poll(shown).not.toContain('In the Cellar');
});

test('a failed or stopped answer shows the server’s name, or its id once it is gone', async () => {
  const fake = await openHouse('#chat', { answers: 'manual' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  const failed: Partial<Message> = {
    status: 'error',
    error: {
      code: 'upstream_error',
      message: 'In the Cellar failed with status 500.',
      retryAfterMs: null,
      status: 502,
      provider: cellar.id,
      providerError: { status: 500, code: null, message: 'Out of memory.' },
    },
  };
  fake.finish(failed);
  const card = page.getByRole('alert').last();
  await expect.element(card).toMatchTextContent('In the Cellar says:');
  rename(fake, 'Attic');
  await expect.element(card).toMatchTextContent('Attic says:');
  fake.data.providers.splice(0, fake.data.providers.length, ...providers);
  fake.changed('providers');
  await expect.element(card).toMatchTextContent('in-the-cellar says:');
});

test('the palette finds the server in the settings by its name', async () => {
  await openHouse('#chat');
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.keyboard('in the cellar');
  await page.getByRole('option', { name: /^In the Cellar/ }).click();
  await expect.poll(() => location.hash).toBe('#settings/providers/In%20the%20Cellar');
});

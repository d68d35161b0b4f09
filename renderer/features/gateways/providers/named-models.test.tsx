import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { fakeModel } from '../../../../tests/support/fake-models.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const newest = {
  ...fakeModel({
    provider: 'anthropic',
    owner: 'anthropic',
    model: 'claude-sonnet-6-1',
    name: 'Claude Sonnet 6.1',
    context: 1_000_000,
    prompt: '1',
    completion: '2',
  }),
  pricing: null,
};

test('a model of a vendor can be added by hand and stays in the form', async () => {
  const fake = await openApp('#settings/providers');
  const row = page.getByRole('listitem', { name: 'Anthropic' });
  await row.getByRole('button', { name: 'Add a model (Anthropic)' }).click();
  await row.getByLabelText('Model 1').fill('claude-haiku-6');
  await userEvent.keyboard('{Enter}');
  await expect.element(row).toMatchTextContent('1 model named by you');
  await expect.element(row.getByLabelText('Model 1')).not.toBeInTheDocument();
  expect(fake.data.providers.find(({ id }) => id === 'anthropic')?.models).toMatchObject([
    { model: 'claude-haiku-6', sameAs: null, input: null },
  ]);
  await row.getByRole('button', { name: 'Add a model (Anthropic)' }).click();
  await expect.element(row.getByLabelText('Model 1')).toHaveValue('claude-haiku-6');
});

test('refused model names stay in the form with the reason', async () => {
  const fake = await openApp('#settings/providers');
  fake.fail('providers.nameModels', 'invalid_input', 'Both prices are needed.');
  const row = page.getByRole('listitem', { name: 'Anthropic' });
  await row.getByRole('button', { name: 'Add a model (Anthropic)' }).click();
  await row.getByLabelText('Model 1').fill('claude-haiku-6');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect.element(row.getByRole('alert')).toMatchTextContent('Both prices are needed.');
  await expect.element(row.getByLabelText('Model 1')).toHaveValue('claude-haiku-6');
});

test('a vendor’s model without a price is marked on the models page', async () => {
  const { models } = fakeData();
  await openApp('#models', { models: [...models, newest] });
  await expect.element(page.getByRole('row', { name: /Claude Sonnet 6.1/ })).toMatchTextContent('Price unknown');
});

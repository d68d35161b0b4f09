import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { fakeModels } from '../../../../tests/support/fake-models.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';
import { modelGroups } from './model-groups.ts';

afterEach(closeApp);

const picker = page.getByRole('combobox', { name: 'Model', exact: true });
const named = (name: string) => {
  const model = fakeModels.find((candidate) => candidate.name === name);
  if (!model) throw new Error(`There is no ${name}`);
  return model;
};

test('a provider’s newest models come first, and models that need a key come last', () => {
  const [older, newer] = [named('Claude Opus 5'), named('Claude Haiku 5')];
  const locked = { ...older, id: 'anthropic/locked', status: 'no_credential' as const, created: 2_000_000_000 };
  const groups = modelGroups([locked, older, { ...newer, created: older.created + 1 }], (id) => id);
  expect(groups.map(({ items }) => items.map(({ id }) => id))).toEqual([[newer.id, older.id], [locked.id]]);
});

test('favourite and recent models are listed first, each once, and are stored', async () => {
  const fake = await openApp('#chat');
  await picker.click();
  await page.getByRole('option', { name: /Claude Haiku 5/ }).click();
  await expect.poll(() => fake.data.settings.recentModels).toEqual([named('Claude Haiku 5').id]);
  await picker.click();
  const recent = page.getByRole('group', { name: 'Recent' });
  await expect.element(recent.getByRole('option')).toMatchTextContent(/Claude Haiku 5.*Vision/);
  await userEvent.keyboard('Opus 5');
  await expect.element(page.getByRole('option', { name: /Claude Opus 5/ })).toHaveAttribute('data-highlighted');
  await userEvent.keyboard('{Control>}d{/Control}');
  await expect.poll(() => fake.data.settings.favouriteModels).toEqual([named('Claude Opus 5').id]);
  await expect
    .element(page.getByRole('group', { name: 'Favourites' }).getByRole('option'))
    .toMatchTextContent(/Claude Opus 5/);
  await expect.element(page.getByRole('option', { name: /Claude Opus 5/ })).toHaveLength(1);
});

test('a model whose provider has no key leads to where the key is added', async () => {
  const [provider] = fakeData().providers.filter(({ state }) => state === 'not_set');
  const locked = fakeModels.find((model) => model.status === 'no_credential');
  if (!provider || !locked) throw new Error('Every provider of the fake has a key');
  await openApp('#chat', {
    models: fakeModels.map((candidate) =>
      candidate === locked ? { ...candidate, provider: provider.id, name: 'Locked One' } : candidate,
    ),
  });
  await picker.click();
  await userEvent.keyboard('Locked');
  await page.getByRole('option', { name: /Locked One.*Add a key/ }).click();
  await expect.poll(() => location.hash).toBe(`#settings/providers/${encodeURIComponent(provider.name)}`);
  await expect.element(page.getByRole('button', { name: `Add key (${provider.name})` })).toHaveFocus();
});

test('a model can be chosen right after its key was added, although the list is older', async () => {
  const locked = fakeModels.find((model) => model.status === 'no_credential');
  if (!locked) throw new Error('Every model of the fake has a key');
  const fake = await openApp('#chat', {
    models: fakeModels.map((candidate) => (candidate === locked ? { ...candidate, name: 'Locked One' } : candidate)),
  });
  await picker.click();
  await userEvent.keyboard('Locked');
  const option = page.getByRole('option', { name: /Locked One.*Add a key/ });
  await expect.element(option).toBeVisible();
  const open = fake.data.models.map((candidate) =>
    candidate.id === locked.id ? { ...candidate, status: 'available' as const } : candidate,
  );
  Object.assign(fake.data, { models: open });
  await option.click();
  await expect.element(picker).toMatchTextContent('Locked One');
  expect(location.hash).toBe('#chat');
});

test('a model whose name matches the query exactly is listed before newer partial matches', async () => {
  const opus = named('Claude Opus 5');
  const newer = { ...opus, id: 'anthropic/opus-4.5', name: 'Claude Opus 4.5', created: opus.created + 1 };
  await openApp('#chat', { models: [newer, ...fakeModels] });
  await picker.click();
  await userEvent.keyboard('claude opus 5');
  await expect.poll(() => page.getByRole('option').elements()[0]?.textContent).toMatch(/^Claude Opus 5/);
  await userEvent.keyboard('{Enter}');
  await expect.element(picker).toMatchTextContent('Claude Opus 5');
});

test('the message field is focused after the models of a comparison were picked', async () => {
  await openApp('#chat');
  await page.getByRole('button', { name: 'Compare models' }).click();
  await expect.element(page.getByPlaceholder(/^Search/)).toHaveFocus();
  await userEvent.keyboard('haiku{Enter}');
  const compared = page.getByRole('list', { name: 'Models to compare' });
  await expect.element(compared).toMatchTextContent('Claude Haiku 5');
  await userEvent.keyboard('{Escape}{Escape}');
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveFocus();
});

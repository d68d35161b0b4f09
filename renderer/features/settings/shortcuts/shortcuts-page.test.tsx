import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const row = (name: string) => page.getByRole('listitem', { name, exact: true });
const press = (keys: string) => userEvent.keyboard(`{Control>}{Shift>}${keys}{/Shift}{/Control}`);

test('a changed shortcut works at once and can be reset', async () => {
  const fake = await openApp('#settings/keyboard');
  await row('Usage').getByRole('button', { name: 'Add a shortcut: Usage' }).click();
  await expect.element(page.getByRole('button', { name: /Press the new keys for Usage/ })).toHaveFocus();
  await press('y');
  await expect.poll(() => fake.data.settings.shortcuts).toEqual({ usagePage: ['mod+Shift+Y'] });
  await expect.element(row('Usage')).toMatchTextContent('Ctrl Shift Y');
  await press('y');
  await expect.element(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible();
  location.hash = '#settings/keyboard';
  await row('Usage').getByRole('button', { name: 'Back to the default: Usage' }).click();
  await expect.poll(() => fake.data.settings.shortcuts).toEqual({});
  await expect.element(row('Usage')).toMatchTextContent('No shortcut');
});

test('keys of another action are reassigned only after a confirmation', async () => {
  const fake = await openApp('#settings/keyboard');
  await row('Find in this chat').getByRole('button', { name: 'Add a shortcut: Find in this chat' }).click();
  await userEvent.keyboard('{Control>}\\{/Control}');
  await expect.element(page.getByRole('alert')).toMatchTextContent('Ctrl \\ belongs to “Toggle sidebar”.');
  expect(fake.data.settings.shortcuts).toEqual({});
  await page.getByRole('button', { name: 'Use it here instead' }).click();
  await expect.poll(() => fake.data.settings.shortcuts).toEqual({ find: ['mod+F', 'mod+\\'], sidebar: ['mod+B'] });
  await page.getByRole('button', { name: 'Reset all shortcuts' }).click();
  await expect.poll(() => fake.data.settings.shortcuts).toEqual({});
});

test('typing keys and system keys are refused with a reason, and Tab leaves the field', async () => {
  const fake = await openApp('#settings/keyboard');
  await row('Usage').getByRole('button', { name: 'Add a shortcut: Usage' }).click();
  await userEvent.keyboard('j');
  await expect.element(page.getByRole('alert')).toMatchTextContent('J alone would be typed.');
  await userEvent.keyboard('{Control>}c{/Control}');
  await expect.element(page.getByRole('alert')).toMatchTextContent('Ctrl C belongs to text fields or to the system.');
  await userEvent.keyboard('{Tab}');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  expect(fake.data.settings.shortcuts).toEqual({});
});

test('a removed shortcut does nothing, and hints show the active one', async () => {
  const fake = await openApp('#settings/keyboard');
  const search = row('Search');
  await search.getByRole('button', { name: 'Remove Ctrl K from Search' }).click();
  await expect.poll(() => fake.data.settings.shortcuts).toEqual({ palette: ['mod+Shift+P'] });
  await expect.element(page.getByRole('button', { name: 'Search', exact: true })).toMatchTextContent('Ctrl Shift P');
  await press('p');
  await expect.element(page.getByRole('combobox', { name: /Search chats/ })).toBeVisible();
});

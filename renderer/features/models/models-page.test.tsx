import '../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './models-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeModels } from '../../../tests/support/fake-models.ts';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const open = (hash = '#models', ...more: [Parameters<typeof openApp>[1]?]) =>
  page.viewport(1440, 900).then(() => openApp(hash, ...more));
const rows = () => page.getByRole('table').getByRole('row');
const table = page.getByRole('table', { name: 'Models and their prices' });
const name = (text: string) => table.getByRole('button', { name: text, exact: true });
const [locked] = fakeModels.filter(({ status }) => status === 'no_credential');
const byInput = fakeModels
  .filter(({ pricing }) => pricing !== null)
  .toSorted((a, b) => Number(a.pricing?.prompt) - Number(b.pricing?.prompt));

test('the filter is part of the address: a link sets it and Back undoes it', async () => {
  await open('#models?q=claude&can=vision&sort=-input');
  await expect.element(page.getByRole('searchbox', { name: 'Filter models' })).toHaveValue('claude');
  await expect.element(page.getByRole('button', { name: 'Vision' })).toHaveAttribute('aria-pressed', 'true');
  await expect.element(table.getByRole('columnheader', { name: /Input/ })).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: 'I can use' }).click();
  await expect.poll(() => location.hash).toContain('usable=1');
  history.back();
  await expect.element(page.getByRole('button', { name: 'I can use' })).toHaveAttribute('aria-pressed', 'false');
  await userEvent.fill(page.getByRole('searchbox', { name: 'Filter models' }), 'opus');
  await expect.poll(() => location.hash).toContain('q=opus');
});

test('every column sorts, and missing values come last in both directions', async () => {
  await open();
  for (const column of ['Model', 'Can', 'Context', 'Input /1M', 'Output /1M', 'Cached /1M', 'Status']) {
    await table.getByRole('button', { name: column, exact: true }).click();
    await expect
      .element(table.getByRole('columnheader', { name: column, exact: true }))
      .toHaveAttribute('aria-sort', 'ascending');
  }
  await table.getByRole('button', { name: 'Input /1M', exact: true }).click();
  await expect.element(rows().nth(1)).toMatchTextContent(new RegExp(byInput[0]?.name ?? '?'));
  await table.getByRole('button', { name: 'Input /1M', exact: true }).click();
  await expect.element(rows().nth(1)).toMatchTextContent(new RegExp(byInput.at(-1)?.name ?? '?'));
});

test('when nothing matches, the nearest models are listed and one button clears the filters', async () => {
  await open('#models?q=claude&context=1000000000');
  await expect.element(page.getByText('No model matches these filters')).toBeVisible();
  await expect.element(page.getByText('Nearest')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect.poll(() => location.hash).toBe('#models');
});

test('a model can be found, marked and compared with the keyboard alone', async () => {
  const fake = await open();
  await page.getByRole('searchbox', { name: 'Filter models' }).click();
  await userEvent.keyboard('claude');
  await expect.element(page.getByText(/ match$/)).toBeVisible();
  name('Claude Opus 5').element().focus();
  await userEvent.keyboard('f');
  await expect.poll(() => fake.data.settings.favouriteModels).toHaveLength(1);
  await userEvent.keyboard(' ');
  await expect.element(page.getByRole('button', { name: 'Compare (1)' })).toBeVisible();
  await userEvent.keyboard('{ArrowDown}');
  await expect.poll(() => document.activeElement).not.toBe(name('Claude Opus 5').element());
  await userEvent.keyboard(' ');
  await expect.element(page.getByRole('button', { name: 'Compare (2)' })).toBeEnabled();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('dialog')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Compare (2)' }).click();
  await expect
    .element(page.getByRole('group', { name: 'Models side by side' }).getByRole('columnheader'))
    .toHaveLength(3);
  await expect.element(page.getByText('best').first()).toBeVisible();
});

test('the row labels of a comparison stay visible while scrolling sideways in a narrow window', async () => {
  const picked = fakeModels.slice(1, 5).map(({ id }) => id);
  await open(`#models/compare?pick=${picked.join(',')}`);
  await page.viewport(420, 900);
  const group = page.getByRole('group', { name: 'Models side by side' });
  await expect.element(group).toBeVisible();
  const box = group.element();
  expect(box.scrollWidth).toBeGreaterThan(box.clientWidth);
  box.scrollLeft = box.scrollWidth;
  const label = page.getByRole('rowheader', { name: 'Input /1M' }).element();
  const { left, right, top, height } = label.getBoundingClientRect();
  expect(left).toBeGreaterThanOrEqual(box.getBoundingClientRect().left);
  expect(document.elementFromPoint((left + right) / 2, top + height / 2)).toBe(label);
});

test('a model’s sheet shows its price history, limits, own use and a cost calculator', async () => {
  await open('#models?model=anthropic%2Fclaude-opus-5');
  const sheet = page.getByRole('dialog', { name: 'Claude Opus 5' });
  await expect.element(sheet.getByRole('group', { name: 'Price history' }).getByRole('row')).toHaveLength(4);
  await expect.element(sheet.getByText('96 tok/s (median of 100)')).toBeVisible();
  await expect.element(sheet.getByText('Longest answer')).toBeVisible();
  await userEvent.fill(sheet.getByRole('textbox', { name: 'Messages' }), '1');
  await userEvent.fill(sheet.getByRole('textbox', { name: 'Input tokens each' }), '1000000');
  await userEvent.fill(sheet.getByRole('textbox', { name: 'Of these cached' }), '0');
  await userEvent.fill(sheet.getByRole('textbox', { name: 'Output tokens each' }), '0');
  await expect.element(sheet.getByRole('status')).toMatchTextContent(/\$5\.00|Longer than/);
  await userEvent.fill(sheet.getByRole('textbox', { name: 'Of these cached' }), '2000000');
  await expect.element(sheet.getByRole('status')).toMatchTextContent(/no more cached than input/);
});

test('a model without a key leads to where the key is added', async () => {
  await open(`#models?model=${encodeURIComponent(locked?.id ?? '')}`);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Add a key for/ })
    .click();
  await expect.poll(() => location.hash).toMatch(/^#settings\/providers\//);
});

test('outdated prices are marked', async () => {
  await open('#models', { staleDays: 62 });
  await expect.element(page.getByText(/published up to 62 days ago/)).toBeVisible();
});

test('in a narrow window each model has two lines and the filters are behind a button', async () => {
  await page.viewport(420, 800);
  await openApp('#models');
  await expect.element(page.getByRole('button', { name: 'Vision' })).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: 'Vision' }).click();
  await expect.poll(() => location.hash).toContain('can=vision');
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(420);
});

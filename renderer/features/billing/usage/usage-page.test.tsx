import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');
const day = main.getByRole('slider', { name: 'Day' });
const dialog = page.getByRole('dialog');

test('the chart has a text alternative, and the arrow keys read each of its days', async () => {
  await openApp('#usage');
  await expect
    .element(main.getByRole('img', { name: /^Spend per day from .* to .*: \$[\d.]+ in all, most on / }))
    .toBeInTheDocument();
  await expect.element(day).toHaveAttribute('aria-valuenow', '30');
  day.element().focus();
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
  await expect.element(day).toHaveAttribute('aria-valuenow', '28');
  const spoken = () => day.element().getAttribute('aria-valuetext');
  await expect.poll(spoken).toMatch(/^\w+ \d+, \$[\d.]+ in all, claude-opus-5 \$[\d.]+, /);
  await userEvent.keyboard('{Home}');
  await expect.element(day).toHaveAttribute('aria-valuenow', '1');
});

test('T shows the table behind the chart, but not while typing in a field', async () => {
  await openApp('#usage');
  await expect.element(day).toBeVisible();
  await userEvent.keyboard('t');
  const table = main.getByRole('group', { name: 'Show as table' });
  await expect.element(table.getByRole('row').nth(30)).toBeVisible();
  await expect.element(table.getByRole('columnheader', { name: 'Total' })).toBeVisible();
  await userEvent.keyboard('t');
  await expect.element(day).toBeVisible();
  await main.getByRole('button', { name: 'Custom' }).click();
  main.getByLabelText('From').element().focus();
  await userEvent.keyboard('t');
  await expect.element(day).toBeVisible();
});

test('[ and ] move to the previous and next period, at most up to today', async () => {
  const fake = await openApp('#usage');
  await expect.element(day).toBeVisible();
  const later = main.getByRole('button', { name: 'The period after' });
  await expect.element(later).toBeDisabled();
  const asked = () => fake.calls.filter((call) => call === 'usage.get').length;
  const before = asked();
  await userEvent.keyboard('[[');
  await expect.poll(asked).toBeGreaterThan(before);
  await expect.element(later).toBeEnabled();
  await userEvent.keyboard(']');
  await expect.element(later).toBeDisabled();
});

test('Enter on a day or a click on a group lists its requests with their chats', async () => {
  await openApp('#usage');
  await expect.element(day).toBeVisible();
  day.element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog).toMatchTextContent(/^All requests, \w+ \d+/);
  await expect.element(dialog.getByRole('link', { name: 'Moving to Postgres 18' }).first()).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await main.getByRole('button', { name: 'gpt-5.5', exact: true }).click();
  await expect.element(dialog).toMatchTextContent(/^gpt-5\.5, /);
  await dialog.getByRole('link').first().click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(location.hash).toBe('#chat/c1');
});

test('the time zone of the days is shown, can be changed and is stored, like a custom range', async () => {
  await openApp('#usage');
  const utc = main.getByRole('button', { name: 'UTC days' });
  await utc.click();
  await expect.element(main).toMatchTextContent('Days are those of UTC.');
  await main.getByRole('button', { name: 'Custom' }).click();
  await main.getByLabelText('From').fill('2026-10-03');
  await main.getByLabelText('To').fill('2026-10-09');
  await expect.element(main).toMatchTextContent('Oct 3 – 9, 2026');
  await main.getByLabelText('From').fill('2026-10-30');
  await expect.element(main.getByRole('alert')).toMatchTextContent(/At most \d+ days/);
  location.hash = '#credits';
  await expect.element(main).toMatchTextContent('Transactions');
  location.hash = '#usage';
  await expect.element(main).toMatchTextContent('Oct 3 – 9, 2026');
  await expect.element(utc).toHaveAttribute('aria-pressed', 'true');
});

test('each derived figure explains how it was calculated', async () => {
  await openApp('#usage');
  const facts = main.getByRole('region', { name: 'What follows from it' });
  await expect.element(facts).toMatchTextContent(/Forecast for November 2026\$12\.30/);
  await expect.element(facts).toMatchTextContent('the mean of 28 days before today');
  await expect.element(facts).toMatchTextContent(/Failed or stopped33 provider overloaded/);
});

test('unknown costs are shown next to each sum, and such a sum has no share', async () => {
  await openApp('#usage', { unknownCosts: 1 });
  await expect.element(main).toMatchTextContent(/\$[\d.]+ \+ 30 unknown/);
  const row = main.getByRole('row', { name: /claude-opus-5/ });
  await expect.element(row).toMatchTextContent(/\$[\d.]+ \+ 30 unknown—$/);
  const facts = main.getByRole('region', { name: 'What follows from it' });
  await expect.element(facts).toMatchTextContent('Cost of 1 unknown');
  await expect.element(facts).toMatchTextContent(/over [\d,]+ requests, without 30 of unknown cost/);
  // The link below the main figure leads to the cost sources.
  await main.getByRole('button', { name: '30 unknown', exact: true }).click();
  await expect.element(main.getByRole('button', { name: 'Cost source', pressed: true })).toBeVisible();
});

test('a request list that cannot be loaded shows the reason and a retry button', async () => {
  const fake = await openApp('#usage');
  await expect.element(day).toBeVisible();
  fake.fail('usage.requests', 'gateway_unreachable', 'The gateway does not answer.');
  day.element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog).toMatchTextContent('Could not read the requests');
  fake.fail('usage.requests', null);
  await dialog.getByRole('button', { name: /Retry|Try again/ }).click();
  await expect.element(dialog.getByRole('table')).toBeVisible();
});

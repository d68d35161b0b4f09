import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './what-if-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';
import { givenDays, toRange, whatIfRange, whatIfSearch } from './what-if-page.tsx';

afterEach(closeApp);

test('chosen models show what they would have cost next to the account’s own cost', async () => {
  await page.viewport(1440, 900);
  await openApp('#models/what-if');
  await expect.element(page.getByText('Choose up to five models with a known price.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Add a model' }).click();
  await userEvent.keyboard('opus 5{Enter}');
  await expect.poll(() => location.hash).toContain('pick=anthropic%2Fclaude-opus-5');
  const row = page
    .getByRole('group', { name: 'What other models would have cost' })
    .getByRole('row', { name: /Claude Opus 5/ });
  await expect.element(row).toMatchTextContent(/\$9\.50.*\$12\.10.*-\$2\.60.*400.*8.*4: Vision/);
  await expect.element(page.getByText('412 requests, of which 3 by an estimate')).toBeVisible();
  history.back();
  await expect.element(page.getByText('Choose up to five models with a known price.')).toBeVisible();
});

test('the period comes from the usage page until another one is chosen', async () => {
  await page.viewport(1440, 900);
  await openApp('#usage');
  await page.getByRole('button', { name: 'UTC days' }).click();
  await page.getByRole('main').getByRole('link', { name: 'What if' }).click();
  await expect.poll(() => location.hash).toMatch(/^#models\/what-if\?days=\d{4}-\d\d-\d\d%2F\d{4}-\d\d-\d\d$/);
  const given = page.getByRole('group', { name: 'Period' }).getByRole('button').first();
  await expect.element(given).toHaveAttribute('aria-pressed', 'true');
  await expect.element(given).toMatchTextContent(/\d{4}$/);
  await page.getByRole('combobox', { name: 'Add a model' }).click();
  await userEvent.keyboard('opus 5{Enter}');
  await expect.poll(() => location.hash).toMatch(/pick=anthropic%2Fclaude-opus-5&days=/);
  await page.getByRole('button', { name: 'This month' }).click();
  await expect.poll(() => location.hash).toBe('#models/what-if?pick=anthropic%2Fclaude-opus-5');
});

test('days in the address are read in its time zone, and invalid ones are ignored', () => {
  const days = { first: '2026-10-25', last: '2026-10-25', zone: 'Europe/Berlin' };
  const search = whatIfSearch(['a/b'], days);
  expect(search).toBe('pick=a%2Fb&days=2026-10-25%2F2026-10-25&zone=Europe%2FBerlin');
  expect(givenDays(search)).toEqual(days);
  const { start, end } = toRange(days);
  expect([new Date(start).toISOString(), end - start]).toEqual(['2026-10-24T22:00:00.000Z', 25 * 3_600_000]);
  expect(
    ['', 'days=2026-10-26', 'days=2026-10-26/2026-10-25', 'days=2026-10-25/2026-10-26&zone=Nowhere'].map(givenDays),
  ).toEqual(Array(4).fill(null));
});

test('a failed calculation shows what failed and can be retried', async () => {
  await page.viewport(1440, 900);
  const fake = await openApp('#models/what-if');
  fake.fail('whatIf.reprice', 'unreachable');
  location.hash = '#models/what-if?pick=anthropic%2Fclaude-opus-5';
  await expect.element(page.getByText('Your requests could not be priced')).toBeVisible();
  fake.fail('whatIf.reprice', null);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.element(page.getByRole('group', { name: 'What other models would have cost' })).toBeVisible();
});

test('a preset period covers whole UTC days and ends today', () => {
  const now = Date.UTC(2028, 1, 29, 12);
  const days = (period: Parameters<typeof whatIfRange>[0]) =>
    [whatIfRange(period, now).start, whatIfRange(period, now).end].map((time) =>
      new Date(time).toISOString().slice(0, 10),
    );
  expect(days('7')).toEqual(['2028-02-23', '2028-03-01']);
  expect(days('month')).toEqual(['2028-02-01', '2028-03-01']);
  expect(days('year')).toEqual(['2027-03-02', '2028-03-01']);
});

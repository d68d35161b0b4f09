import '../../ui/styles/theme.css';
// Loaded before a test’s time runs.
import './what-if-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';
import { whatIfRange } from './what-if-period.ts';

afterEach(closeApp);

test('models are chosen, and one’s own figure stands beside what they would have cost', async () => {
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

test('a failure says what failed, and can be repeated', async () => {
  await page.viewport(1440, 900);
  const fake = await openApp('#models/what-if');
  fake.fail('whatIf.reprice', 'unreachable');
  location.hash = '#models/what-if?pick=anthropic%2Fclaude-opus-5';
  await expect.element(page.getByText('Your requests could not be priced')).toBeVisible();
  fake.fail('whatIf.reprice', null);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.element(page.getByRole('group', { name: 'What other models would have cost' })).toBeVisible();
});

test('a period is whole UTC days and ends with today', () => {
  const now = Date.UTC(2028, 1, 29, 12);
  const days = (period: Parameters<typeof whatIfRange>[0]) =>
    [whatIfRange(period, now).start, whatIfRange(period, now).end].map((time) =>
      new Date(time).toISOString().slice(0, 10),
    );
  expect(days('7')).toEqual(['2028-02-23', '2028-03-01']);
  expect(days('month')).toEqual(['2028-02-01', '2028-03-01']);
  expect(days('year')).toEqual(['2027-03-02', '2028-03-01']);
});

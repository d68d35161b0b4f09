import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './reconciliation-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');

test('a partial read of a remote ledger is matched and marked as partial until the rest is read', async () => {
  const fake = await openApp('#reconciliation');
  await expect.element(main).toMatchTextContent('Nothing to match yet');
  // No page has arrived yet.
  fake.gatewayDb.part = { requests: 0, since: null };
  fake.changed('account');
  await expect.element(page.getByText('Nothing to match yet')).not.toBeInTheDocument();
  await expect.element(page.getByLabelText('Matching requests')).toBeVisible();
  Object.assign(fake.gatewayDb, { requests: 12_000, part: { requests: 12_000, since: Date.UTC(2026, 9, 1, 12) } });
  fake.changed('account');
  await expect.element(main).toMatchTextContent('12,000 of 12,000 matched');
  const status = page.getByRole('status').filter({ hasText: 'Read so far: the newest 12,000 requests, since ' });
  await expect.element(status).toMatchTextContent('the rest is being read');
  await expect.element(page.getByText(/^Nothing, of what was read so far\./)).toBeVisible();
  // Price checks are hidden until the ledger is complete.
  const drift = page.getByRole('heading', { name: 'Bill and price' });
  await expect.element(drift).not.toBeInTheDocument();
  Object.assign(fake.gatewayDb, { requests: 25_000, part: null });
  // The page polls, so it updates without a change event.
  await expect.element(main, { timeout: 15_000 }).toMatchTextContent('25,000 of 25,000 matched');
  await expect.element(status).not.toBeInTheDocument();
  await expect.element(drift).toBeVisible();
  await expect.element(page.getByText(/^Every request has its record, its line in the ledger/)).toBeVisible();
});

import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './credits-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { fakeQuote } from '../../../../tests/support/fake-composer.ts';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');
const columns = () => page.getByRole('columnheader').all();
const names = async () => Promise.all((await columns()).map(async (column) => column.element().textContent));

test('an account on own keys has no column for the balance after a transaction', async () => {
  const { billingAccounts } = fakeData();
  await openApp('#credits', { billingAccounts: billingAccounts.filter(({ billing }) => billing === 'meter_only') });
  await expect.element(page.getByRole('columnheader', { name: 'Amount' })).toBeVisible();
  expect(await names()).toEqual(['Date', 'What', 'Amount']);
});

test('what a metered account has spent never hides requests of unknown cost', async () => {
  const { billingAccounts, settings } = fakeData();
  const unknown = billingAccounts.map((account) => ({
    ...account,
    unknown: account.billing === 'meter_only' ? 16 : 0,
  }));
  await openApp('#credits', { billingAccounts: unknown, settings: { ...settings, model: 'openai/gpt-5' } });
  await expect.element(main).toMatchTextContent(/\$3\.2.* \+ 16 unknown/);
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent(/\+ 16 unknown spent/);
});

test('a prepaid account shows the balance after each transaction', async () => {
  const { settings } = fakeData();
  await openApp('#credits', { settings: { ...settings, shownWallet: 'sandbox' } });
  await expect
    .element(page.getByRole('columnheader', { name: 'Balance after', includeHidden: true }))
    .toBeInTheDocument();
});

test("the number of messages left is hidden when the gateway's hold would exceed the balance", async () => {
  const { settings } = fakeData();
  const obstacles = [{ code: 'insufficient_credits', message: 'Not enough credits.' }];
  const fake = await openApp('#credits', { settings: { ...settings, model: 'sandbox/tour' } });
  await expect.element(main).toMatchTextContent('Lasts for');
  fake.composer.quote = { ...fakeQuote, modelName: 'Claude Opus 5.5', obstacles };
  fake.changed('account');
  await expect.element(main).toMatchTextContent('Not enough is left for a message to Claude Opus 5.5');
  await expect.element(main).not.toMatchTextContent('Lasts for');
  fake.composer.quote = fakeQuote;
  fake.changed('account');
  await expect.element(main).toMatchTextContent('Lasts for');
});

test('an error about a key that may not read the account is shown without a retry button', async () => {
  const fake = await openApp('#usage');
  fake.fail('usage.get', 'insufficient_scope', 'This credential lacks the scope "account".');
  fake.changed('account');
  await page.getByRole('button', { name: '90 days' }).click();
  await expect.element(main).toMatchTextContent('This credential lacks the scope "account".');
  await expect.element(main).toMatchTextContent('Enter a key that may');
  await expect.element(page.getByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
});

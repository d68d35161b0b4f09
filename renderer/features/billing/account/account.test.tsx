import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './account-page.tsx';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { fakeData } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');
const dialog = page.getByRole('dialog');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const item = (name: string) => page.getByRole('menuitem', { name, exact: true });

const account = (id: string, name: string, change = {}) => ({
  id,
  name,
  baseUrl: `https://${id}.example`,
  kind: 'api_key' as const,
  keyHint: 'sk-…77aa',
  storage: 'keychain' as const,
  expiresAt: null,
  ownKeys: false,
  ...change,
});

test('a key is created with its limits, shown once with usage snippets, and rotated or revoked after a confirmation', async () => {
  const fake = await openApp('#account');
  await button('Make a key').click();
  await dialog.getByLabelText('Name').fill('Editor');
  await dialog.getByLabelText('Limit, USD').fill('much');
  await expect.element(dialog).toMatchTextContent('An amount such as 2.50');
  await expect.element(button('Make key')).toBeDisabled();
  await dialog.getByLabelText('Limit, USD').fill('2.50');
  await button('Make key').click();
  await expect.element(dialog).toMatchTextContent('This is the only time the key is shown.');
  await expect.element(dialog).toMatchTextContent('Authorization: Bearer sk-portico-shown-once');
  await button('Done').click();
  expect(fake.data.apiKeys).toMatchObject([{ name: 'Editor', limitUsd: '2.50', scopes: ['chat', 'models'] }]);
  await expect.element(main).toMatchTextContent('$0.00 of $2.50 spent · never used · may chat and models');
  await expect.element(main).not.toMatchTextContent('shown-once');

  await button('Change Editor').click();
  await item('Rotate').click();
  await button('Rotate').click();
  await expect.element(dialog).toMatchTextContent('The old key is taken for one more day.');
  await button('Done').click();
  await button('Change Editor').click();
  await item('Revoke').click();
  expect(fake.data.apiKeys).toHaveLength(1);
  await button('Revoke').click();
  await expect.element(main).toMatchTextContent('No keys yet.');
});

test('the account page lists what the credential may do, and why it failed a check', async () => {
  const fake = await openApp('#account');
  await expect.element(main).toMatchTextContent('The gateway takes it, and says:');
  await expect.element(main).toMatchTextContent('Yes. Ask models, and spend what its account has.');
  fake.fail('verification.get', 'token_expired', 'This token has expired. Get a new one.');
  await button('Check now').click();
  await expect.element(main).toMatchTextContent('This token has expired. Get a new one.');
});

test('the gateway settings show the active account and an expiring token, switch accounts, and confirm a removal', async () => {
  const soon = Date.now() + 3_600_000;
  const accounts = [
    account('one', 'At work'),
    account('two', 'Token', { kind: 'jwt', keyHint: null, expiresAt: soon }),
  ];
  const fake = await openApp('#settings/gateway', { gatewayAccounts: { accounts, active: 'one' } });
  await expect.element(main).toMatchTextContent(/This token ends .*Get a new one where you got it/);
  await button('Use Token').click();
  expect(fake.data.gatewayAccounts.active).toBe('two');
  await expect.element(button('Use At work')).toBeVisible();
  await button('More about At work').click();
  await item('Remove').click();
  await expect.element(dialog).toMatchTextContent('Its key is deleted from this computer.');
  await button('Remove').click();
  await expect.element(main).not.toMatchTextContent('At work');
  await button('Use Built in').click();
  expect(fake.data.gatewayAccounts).toMatchObject({ accounts: [{ id: 'two' }], active: null });
});

test('an expiring credential is shown on every page, and pages about money can switch the gateway', async () => {
  const accounts = [
    account('one', 'At work'),
    account('two', 'Token', { kind: 'jwt', keyHint: null, expiresAt: Date.now() + 3_600_000 }),
    account('three', 'Old', { expiresAt: Date.now() - 3_600_000 }),
  ];
  const fake = await openApp('#credits', { gatewayAccounts: { accounts, active: 'two' } });
  await expect.element(main).toMatchTextContent(/The token of Token ends .*nothing is answered without it/);
  await button('Gateway: Token').click();
  await item('Old').click();
  expect(fake.data.gatewayAccounts.active).toBe('three');
  location.hash = '#chat';
  await expect.element(main).toMatchTextContent(/The key of Old ended .*until it is replaced/);
  await main.getByRole('link', { name: 'Replace it' }).click();
  await expect.poll(() => location.hash).toBe('#settings/gateway');
  await button('Use At work').click();
  await expect.element(main).not.toMatchTextContent('until it is replaced');
});

test('key limits are shown on the caps page, and deleting a copy of the ledger is confirmed and can be undone', async () => {
  const key = {
    id: 'k1',
    account: 'main',
    name: 'Editor',
    prefix: 'sk-portico-k1',
    scopes: ['chat'],
    createdAt: 0,
    limitUsd: '2',
    spentUsd: '1.7',
    lastUsedAt: null,
    expiresAt: null,
  };
  await openApp('#settings/caps', { apiKeys: [key] });
  await expect
    .element(main.getByRole('meter', { name: 'Key Editor' }))
    .toHaveAttribute('aria-valuetext', '$1.70 of $2.00 (85%)');
  location.hash = '#settings/data';
  await button('Copy the ledger').click();
  const copies = main.getByRole('list', { name: 'Copies of the ledger' });
  await copies.getByRole('button', { name: /^Delete/ }).click();
  await expect.element(dialog).toMatchTextContent('The ledger itself stays as it is.');
  await button('Delete').click();
  await expect.element(copies.getByRole('listitem')).not.toBeInTheDocument();
  await button('Undo').click();
  await expect.element(copies.getByRole('listitem')).toBeVisible();
});

test("own keys that a remote gateway doesn't use are marked as idle and can be sent to it", async () => {
  const gatewayAccounts = { accounts: [account('one', 'At work')], active: 'one' };
  const fake = await openApp('#settings/providers', { gatewayAccounts });
  await expect.element(main).toMatchTextContent('These keys are idle: At work answers and pays.');
  await button('Use my keys with At work').click();
  await expect.element(main).toMatchTextContent('At work is given the key of a provider');
  expect(fake.data.gatewayAccounts.accounts[0]?.ownKeys).toBe(true);
});

test('the credits page shows how long credits last, a budget, filtered lines and the balance of every account', async () => {
  const gatewayAccounts = { accounts: [account('away', 'Far away')], active: null };
  const fake = await openApp('#credits', { gatewayAccounts });
  await button('Set a budget').click();
  await dialog.getByLabelText('A month, USD').fill('10');
  await button('Save').click();
  await expect.element(main.getByRole('meter')).toHaveAttribute('aria-valuetext', '$3.2180415 of $10.00');
  await expect.element(main.getByRole('row', { name: /Far away/ })).toMatchTextContent('No answer');
  await button('Kind: All kinds').click();
  await item('Refund').click();
  await expect.poll(() => fake.calls.includes('credits.get')).toBe(true);
  await main.getByRole('button', { name: 'Test credits', exact: true }).click();
  await expect.element(main).toMatchTextContent('Lasts for about 912 messages, or 31 days.');
  await expect.element(main).toMatchTextContent('By the average of 120 answers in the last 12 days, $1.30 in all.');
  expect(fake.data.settings.shownWallet).toBe('sandbox');
});

test.each([
  [730, '730 days'],
  [9125, '25 years'],
  [108_878, 'more than 100 years'],
])('credits for %i days are shown as lasting %s', async (daysLeft, words) => {
  const sandbox = { ...fakeData().outlook.sandbox, daysLeft };
  await openApp('#credits', { outlook: { ...fakeData().outlook, sandbox } });
  await main.getByRole('button', { name: 'Test credits', exact: true }).click();
  await expect.element(main).toMatchTextContent(`Lasts for about 912 messages, or ${words}.`);
});

test('the spend of this month counts requests of unknown cost', async () => {
  const fake = await openApp('#account');
  await expect.element(main).toMatchTextContent('$3.218');
  const { usage } = fake.data.account.main;
  if (usage) usage.unknown_cost_requests = 3;
  await button('Read again').click();
  await expect.element(main).toMatchTextContent('+ 3 unknown');
});

test('an account that never answered has no time of what is shown', async () => {
  const fake = await openApp('#models');
  await expect.element(page.getByRole('status', { name: 'Balance' })).toMatchTextContent('$3.2');
  for (const method of ['account.get', 'account.wallets'])
    fake.fail(method, 'gateway_unreachable', 'The gateway did not answer.', 60_000);
  fake.changed('account');
  location.hash = '#account';
  await expect.element(main).toMatchTextContent('The gateway did not answer.');
  await expect.element(main).not.toMatchTextContent('What is shown is as of');
});

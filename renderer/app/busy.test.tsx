import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

const main = page.getByRole('main');
const ledger = main.getByRole('button', { name: 'Load more' });
const asked = (calls: readonly string[], method: string) => calls.filter((call) => call === method).length;

test('a page about money keeps its data while the gateway is busy and asks only once', async () => {
  const fake = await openApp('#credits');
  await expect.element(ledger).toBeVisible();
  fake.fail('credits.get', 'rate_limit_exceeded', 'Too many requests.', 60_000);
  const before = asked(fake.calls, 'credits.get');
  fake.changed('account');
  await expect
    .element(main)
    .toMatchTextContent(/Too many requests\. What is shown is as of [\d:]+ [AP]M\. Trying again in \d+ s\./);
  await expect.element(ledger).toBeVisible();
  expect(asked(fake.calls, 'credits.get')).toBe(before + 1);
});

test('a page loads automatically after the wait that a busy gateway asked for', async () => {
  const fake = await openApp('#settings/about');
  fake.fail('usage.get', 'rate_limit_exceeded', 'Too many requests.', 900);
  location.hash = '#usage';
  await expect.element(main.getByRole('alert')).toMatchTextContent('Too many requests. Trying again in 1 s.');
  fake.fail('usage.get', null);
  await expect.element(main.getByRole('heading', { name: 'By model' })).toBeVisible();
});

test('a message refused by a busy gateway shows when it can be sent', async () => {
  const fake = await openApp('#chat');
  fake.fail('chat.send', 'concurrency_limit_exceeded', 'Too many answers at once.', 30_000);
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect
    .element(page.getByRole('alert').filter({ hasText: 'Not sent' }))
    .toMatchTextContent(/Too many answers at once\. Try again in \d+ s\./);
});

test('a page about money shows how old its data is, reloads on request, and remembers the chosen period', async () => {
  const fake = await openApp('#usage');
  await expect.element(main).toMatchTextContent(/As of [\d:]+ [AP]M/);
  const before = asked(fake.calls, 'usage.get');
  await main.getByRole('button', { name: 'Read again' }).click();
  await expect.poll(() => asked(fake.calls, 'usage.get')).toBeGreaterThan(before);
  const week = main.getByRole('button', { name: '7 days' });
  await week.click();
  await expect.element(week).toHaveAttribute('aria-pressed', 'true');
  location.hash = '#credits';
  await expect.element(main).toMatchTextContent('Transactions');
  location.hash = '#usage';
  await expect.element(week).toHaveAttribute('aria-pressed', 'true');
});

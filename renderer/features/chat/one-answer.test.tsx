import '../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
// Loaded when the window is idle: here it is there from the beginning.
import '../gateways/connection/credential-notice.tsx';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const message = page.getByRole('textbox', { name: 'Message' });
/** Drafts and scroll positions are saved by timers. */
const kept = new Set(['drafts.put', 'conversations.keepScrollPosition']);
const counted = (calls: readonly string[]) => {
  const groups = Object.groupBy(calls, (call) => call);
  return Object.fromEntries(
    Object.entries(groups).flatMap(([call, all]) => (kept.has(call) ? [] : [[call, all?.length]])),
  );
};

test('one message and its answer: what the window asks the core for', async () => {
  const fake = await openApp('#chat/c1', {}, { answers: 'manual' });
  const quotedAfter = (at: number) => expect.poll(() => fake.calls.slice(at)).toContain('quotes.get');
  await quotedAfter(0);
  // Asked by what loads when the window is idle.
  await expect.poll(() => fake.calls).toContain('gatewayAccounts.list');
  const opened = fake.calls.length;
  await message.fill('Tell me');
  await quotedAfter(opened);
  const from = fake.calls.length;
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  fake.write('All of it.');
  await expect.element(page.getByRole('log', { name: 'Conversation' })).toMatchTextContent('All of it.');
  fake.finish();
  await quotedAfter(from);
  // Calls that the answer caused come before those about the next message.
  const ended = fake.calls.length;
  await message.fill('And then');
  await quotedAfter(ended);
  const asked = fake.calls.slice(from, fake.calls.lastIndexOf('quotes.get'));
  expect(counted(asked)).toEqual({
    'account.wallets': 1,
    'chat.send': 1,
    'conversations.list': 6,
    'organise.overview': 2,
    // A second one where the answer takes longer than the pause after which a quote is asked.
    'quotes.get': expect.toBeOneOf([1, 2]),
  });
});

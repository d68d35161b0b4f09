import '../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
// The app loads this module when the window is idle; the test has it from the beginning.
import '../gateways/connection/credential-notice.tsx';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const message = page.getByRole('textbox', { name: 'Message' });
/** Timers make these calls, which save drafts and scroll positions, so their number varies. */
const timed = new Set(['drafts.put', 'conversations.keepScrollPosition']);
const counted = (calls: readonly string[]) => {
  const groups = Object.groupBy(calls, (call) => call);
  return Object.fromEntries(
    Object.entries(groups).flatMap(([call, all]) => (timed.has(call) ? [] : [[call, all?.length]])),
  );
};

test('sending a message and showing its answer takes a fixed number of calls to the core', async () => {
  const fake = await openApp('#chat/c1', {}, { answers: 'manual' });
  const quotedAfter = (start: number) => expect.poll(() => fake.calls.slice(start)).toContain('quotes.get');
  await quotedAfter(0);
  // Code that loads when the window is idle makes this call.
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
    // There is a second quote if the answer takes longer than the pause in typing that triggers a quote.
    'quotes.get': expect.toBeOneOf([1, 2]),
  });
});

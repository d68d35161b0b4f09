import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const why = page.getByRole('button', { name: 'Why this model' });
const card = page.getByRole('dialog', { name: 'Why this model' });

test('the card of a routed answer shows the choice and its reason, the attempts, the excluded models, and the price of the next best', async () => {
  await openApp('#chat/c0');
  await why.click();
  await expect
    .element(card)
    .toMatchTextContent('GPT-5.4 mini answered after 1 attempt with better placed models failed.');
  await expect.element(card).toMatchTextContent('Policy: balanced. The question was judged simple.');
  await expect
    .element(card)
    .toMatchTextContent('The next best, Claude Sonnet 5, costs $0.001095 for as many tokens: $0.0000195 less.');
  const attempts = card.getByRole('list', { name: 'Attempts' });
  await expect.element(attempts).toMatchTextContent('Claude Sonnet 5 failed: upstream overloaded');
  await expect.element(attempts).toMatchTextContent('412 ms');
  const candidates = card.getByRole('list', { name: 'Candidates' }).getByRole('listitem');
  await expect.element(candidates.nth(0)).toMatchTextContent('Claude Sonnet 5');
  await expect.element(candidates.nth(0)).toMatchTextContent('Anthropic · $3.00 / $15.00 per 1M tokens');
  await expect.element(candidates.nth(1)).toMatchTextContent('chosen');
  await expect.element(card).toMatchTextContent('cannot see images; over the maximum price');
  await expect.element(card).toMatchTextContent('some_new_reason');
  await userEvent.keyboard('{Escape}');
  await expect.element(card).not.toBeInTheDocument();
  await expect.element(why).toHaveFocus();
});

test('a pinned model becomes the chat’s model, and an excluded model stays excluded in the chat until it is allowed again', async () => {
  const fake = await openApp('#chat/c0');
  await why.click();
  await card.getByRole('button', { name: 'Pin this model' }).click();
  await expect.element(card.getByRole('button', { name: 'Pinned for this chat' })).toBeVisible();
  await card.getByRole('button', { name: 'Never for this' }).click();
  await expect.element(card).toMatchTextContent('Auto does not take GPT-5.4 mini in this chat any more.');
  // Excluding the model also unpins it.
  await expect.element(card.getByRole('button', { name: 'Pin this model' })).toBeVisible();
  await expect.poll(() => fake.calls).toContain('options.set');
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: /^Chat settings/ }).click();
  await page.getByRole('button', { name: /^Allow .* again$/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByRole('button', { name: 'Chat settings', exact: true })).toBeVisible();
});

test('the card explains when the gateway has no records, and a failed request can be retried', async () => {
  const fake = await openApp('#chat/c0', { routing: { known: false, why: 'no_records' } });
  fake.fail('chat.routing', 'gateway_unreachable', 'The gateway did not answer.');
  await why.click();
  await expect.element(card.getByRole('alert')).toMatchTextContent('The gateway did not answer.');
  fake.fail('chat.routing', null);
  await card.getByRole('button', { name: 'Retry' }).click();
  await expect.element(card).toMatchTextContent('This gateway keeps no records of requests, so it cannot tell.');
});

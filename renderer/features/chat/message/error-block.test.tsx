import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { FakeCore } from '../../../../tests/support/fake-core.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const card = page.getByRole('alert').last();
const overloaded = {
  code: 'upstream_overloaded',
  message: 'Anthropic is overloaded.',
  retryAfterMs: 1000,
  status: 503,
  provider: 'Anthropic',
  providerError: { status: 529, code: 'overloaded_error', message: 'Overloaded, sorry.' },
};
const failed: Partial<Message> = {
  status: 'error',
  finishReason: null,
  usage: null,
  costUsd: null,
  costSource: 'unknown',
  error: overloaded,
};
const retries = (fake: FakeCore) => fake.calls.filter((call) => call === 'chat.regenerate').length;

async function ask(): Promise<FakeCore> {
  const fake = await openApp('#chat', {}, { answers: 'manual' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  return fake;
}

test('the error card shows the app’s sentence, the provider’s own message, and names instead of ids', async () => {
  const fake = await ask();
  fake.finish({ ...failed, error: { ...overloaded, retryAfterMs: null }, model: 'anthropic/claude-opus-5' });
  await expect.element(card).toMatchTextContent('Anthropic is overloaded.');
  await expect.element(card).toMatchTextContent('Anthropic says:Overloaded, sorry.');
  await expect.element(card).toMatchTextContent(/· Anthropic/);
  expect(card.element().textContent).not.toContain('anthropic/');
  await card.getByRole('button', { name: 'Other model' }).click();
  await expect.element(page.getByRole('dialog', { name: 'Retry with…' })).toBeVisible();
  expect(retries(fake)).toBe(0);
});

test('a request is retried automatically when its error contains a waiting time, at most twice', async () => {
  const fake = await ask();
  fake.finish(failed);
  await expect.element(card).toMatchTextContent(/Retrying by itself in \d s\./);
  await expect.poll(() => retries(fake)).toBe(1);
  fake.finish(failed);
  await expect.poll(() => retries(fake), { timeout: 15_000 }).toBe(2);
  fake.finish(failed);
  await expect.element(card).toMatchTextContent(/Retry, or choose another model\.|Try again in/);
  await expect.element(card.getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
});

test('an answer is not retried automatically when the user cancelled the retry, its text had begun, or it was billed', async () => {
  const fake = await ask();
  fake.finish(failed);
  await card.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(card.getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
  await card.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect.poll(() => retries(fake)).toBe(1);
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  fake.write('It had begun');
  fake.finish(failed);
  await expect.element(card).toMatchTextContent('Anthropic is overloaded.');
  await expect.element(card.getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
  await card.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect.poll(() => retries(fake)).toBe(2);
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  fake.finish({ ...failed, costUsd: '0.001', costSource: 'billed' });
  await expect.element(card).toMatchTextContent('Anthropic is overloaded.');
  await expect.element(card.getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
});

test('no automatic retry happens while the user writes the next message, nor after it is sent', async () => {
  const fake = await ask();
  // This leaves enough time to start typing.
  fake.finish({ ...failed, error: { ...overloaded, retryAfterMs: 9000 } });
  await expect.element(card).toMatchTextContent(/Retrying by itself in \d s\./);
  await page.getByRole('textbox', { name: 'Message' }).fill('Another way');
  await expect.element(card).not.toMatchTextContent('Retrying by itself');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  expect(retries(fake)).toBe(0);
});

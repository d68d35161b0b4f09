import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

test('no amount of the quote is cut off in a narrow window', async () => {
  await page.viewport(420, 820);
  const { composer } = await openApp('#chat/c0');
  const cost = { low: '0.0000252', high: '0.0098808' };
  const expected = { usd: '0.0003648', completionTokens: 132, answers: { here: 1, elsewhere: 0 }, near: 1 };
  composer.quote = { ...composer.quote, costUsd: cost, expected };
  await page.getByRole('textbox', { name: 'Message' }).fill('How much would an answer to this be?');
  const quote = page.getByRole('button', { name: /^about \$0\.00036, usually under \$0\.0099 ?, 1,240 tokens in/ });
  await expect.element(quote).toBeVisible();
  const meter = page.getByRole('button', { name: /^Context [\d.,K]+ of 128K/ });
  for (const element of [quote, meter].map((locator) => locator.element())) {
    expect(element.scrollWidth).toBeLessThanOrEqual(element.clientWidth);
    const { left, right } = element.getBoundingClientRect();
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(420);
  }
  await page.viewport(1280, 800);
});

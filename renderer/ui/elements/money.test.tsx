import '../styles/theme.css';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { Money, MoneyIn } from './money.tsx';

/** Returns what a person sees, and what they copy. */
function read(element: Element) {
  const selection = getSelection();
  selection?.selectAllChildren(element);
  const copied = selection?.toString();
  selection?.removeAllRanges();
  const shown = [...element.querySelectorAll('[aria-hidden]')].map((part) => part.textContent).join('');
  return { shown: shown || element.textContent, copied };
}

test('an amount is rounded for reading, and exact on hover, in copies and for screen readers', async () => {
  const { container } = await render(
    <p>
      <Money amount="0.004231784" />
    </p>,
  );
  await expect.poll(() => read(container)).toEqual({ shown: '$0.004232', copied: '$0.004231784' });
  await expect.element(page.getByTitle('$0.004231784')).toBeVisible();
  expect(container.querySelector('data')?.value).toBe('0.004231784');
});

test('a short amount, or one that is shown exactly, is written only once', async () => {
  const { container } = await render(
    <p>
      <Money amount="12.5" /> <Money amount="-14.817345" exactly />
    </p>,
  );
  await expect.poll(() => container.textContent).toBe('$12.50 -$14.817345');
});

test('a balance is never rounded up, a debt never down, and the sign stays', async () => {
  const { container } = await render(
    <p>
      <Money amount="9.9998305" rest /> <Money amount="-14.811349" rest /> <Money amount="0.0316421" signed />{' '}
      <Money amount="-0.0316421" signed />
    </p>,
  );
  await expect
    .poll(() => [...container.querySelectorAll('[aria-hidden]')].map((part) => part.textContent))
    .toEqual(['$9.999', '-$14.82', '+$0.03164', '-$0.03164']);
});

test('a sentence keeps its words around the amount', async () => {
  const { container } = await render(<MoneyIn text={(usd) => `${usd} together`} amount="0.123456" />);
  await expect.poll(() => read(container)).toMatchObject({ shown: '$0.1235', copied: '$0.123456 together' });
});

import { expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { fakeTotal } from '../../../../tests/support/fake-composer.ts';
import { ConversationTotal } from '../chat-header.tsx';

test.each([
  ['a simulated failure', { usd: '0', testRequests: 1 }, '$0.00 test'],
  ['a real failure', { usd: '0' }, '$0.00'],
  ['real and simulated answers', { usd: '0.5', testCreditsUsd: '0.25', testRequests: 1 }, '$0.50 + $0.25 test'],
  ['an answer of unknown cost', { usd: '0', unknown: 1 }, '1 unknown'],
  ['known and unknown costs', { usd: '0.5', unknown: 2 }, '$0.50 + 2 unknown'],
  ['real money beside a simulated failure', { usd: '0.5', testRequests: 1 }, '$0.50'],
])('the total of a chat shows money, test credits and unknown costs apart: %s', async (_what, change, words) => {
  const { container } = await render(<ConversationTotal total={{ ...fakeTotal, ...change }} />);
  await expect.poll(() => container.querySelector('button')?.ariaLabel).toBe(`Cost of this chat: ${words}`);
});

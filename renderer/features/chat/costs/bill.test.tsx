import { expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { Bill } from './bill.tsx';

const message = { costUsd: '0.640028', costSource: 'estimated', requestId: 'req_1', simulated: false } as const;
const lines = [{ kind: 'reasoning' as const, tokens: 32_000, usd: '0.640028' }];

test('the cost of an answer that was stopped before its tokens were counted shows an estimate and its upper bound', async () => {
  const { getByRole } = await render(<Bill message={{ ...message, bill: { lines, upTo: '2.560028' } }} />);
  const words = () => getByRole('button').element().textContent ?? '';
  await expect.poll(words).toMatch(/^about \$0\.64.*may be up to \$2\.56/);
  await getByRole('button').click();
  await expect.poll(() => getByRole('dialog').element().textContent ?? '').toMatch(/stopped before its provider/);
});

test('the cost of an answer whose tokens were counted is one exact amount', async () => {
  const counted = { ...message, costSource: 'billed' as const, bill: { lines } };
  const { getByRole } = await render(<Bill message={counted} />);
  await expect.poll(() => getByRole('button').element().textContent ?? '').toMatch(/^\$0\.640028.*billed$/);
});

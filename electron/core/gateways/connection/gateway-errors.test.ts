import { expect, test } from 'vitest';
import { creditShortage } from '#gateway/ledger/quota.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import { fromGateway } from './gateway-errors.ts';

const plan = { billing: 'prepaid' } as Parameters<typeof creditShortage>[1];
const shortage = creditShortage({ balance: 1_000_000n, held: 0n } as never, plan, 2_000_000_000n)?.message ?? '';

test.each([
  [shortage, 'Add credits, or choose a cheaper model.'],
  [
    `${shortage} The largest "max_tokens" the balance covers is 400.`,
    'Limit the answer to 400 tokens, or add credits.',
  ],
])('what a person reads of %j names no field of a request', (message, advice) => {
  const { message: shown } = fromGateway(
    new GatewayError(message, { status_code: 402, code: 'insufficient_credits' }),
  ) as Error;
  expect(shown).toBe(`Insufficient credits: this request may cost up to $2, available $0.001. ${advice}`);
});

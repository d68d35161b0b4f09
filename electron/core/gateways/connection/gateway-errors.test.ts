import { expect, test } from 'vitest';
import { toLimitError } from '#gateway/ledger/spending-limits.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import { refusal } from '#shared/language/refusals.ts';
import { fromGateway } from './gateway-errors.ts';

const balance = { scope: 'balance', period: null, id: null, limit: 1_000_000n, used: 0n, held: 0n } as const;
const shortage = toLimitError(balance, 2_000_000_000n, 0).message;

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

test('a gateway that was not called because the way out is closed is not called silent', () => {
  const cause = refusal('upstream_unreachable', 'networkUnreadable');
  const more = { status_code: 0, code: 'unreachable', details: { address: 'https://gateway.example' } };
  const silent = new GatewayError('It did not answer.', { ...more, cause: new TypeError('fetch failed') });
  expect(fromGateway(silent)).toMatchObject({ refusal: { name: 'gatewaySilent' } });
  expect(fromGateway(new GatewayError('It did not answer.', { ...more, cause }))).toMatchObject({
    code: 'gateway_unreachable',
    message: cause.message,
    refusal: { name: 'networkUnreadable' },
  });
});

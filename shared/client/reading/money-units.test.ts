import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, nanoUsd } from '../../money.ts';
import { readAccount } from './read-account.ts';
import { readChunk } from './read-chunk.ts';
import { creditFields, readCredits, readOtherBalance } from './read-credits.ts';
import { readModels } from './read-models.ts';
import { hasOtherCost, readUsage } from './read-usage.ts';

const other = (answer: unknown) => readOtherBalance(creditFields(answer));
const balance = (answer: unknown) => readCredits(answer)?.balance ?? null;

test.each([
  [{ balance: 12.5 }, '12.5'],
  [{ balance: '$12.50' }, '12.5'],
  [{ balance: '12.50 USD' }, '12.5'],
  [{ balance: 12.5, currency: 'usd' }, '12.5'],
  [{ credits: 12.5, currency: 'USD' }, '12.5'],
  [{ credits: 1250, unit: 'cents' }, '12.5'],
  [{ balance: 1250, unit: 'usd_cents' }, '12.5'],
  [{ balance: 1250, currency: 'USD', unit: 'cents' }, '12.5'],
  [{ balance_cents: 1250 }, '12.5'],
  [{ data: { balance_cents: '1250', currency: 'USD' } }, '12.5'],
  [{ balance: { amount: 1250, unit: 'cents' } }, '12.5'],
  [{ balance: { amount: '12.50', currency: 'USD' } }, '12.5'],
  [{ balance_usd: 3, balance: 12.5 }, '12.5'],
  [{ data: { total_credits: 25.5, total_usage: 3.25 } }, '22.25'],
  [{ limit_remaining: 6.75 }, '6.75'],
])('a balance in dollars is read when it is written %j', (answer, usd) => {
  expect(balance(answer)).toBe(usd);
  expect(other(answer)).toBe(null);
});

test.each([
  [{ credits: 1250, unit: 'credits' }, '1250', 'credits'],
  [{ credits: 1250 }, '1250', 'credits'],
  [{ credit_balance: '1250' }, '1250', 'credits'],
  [{ balance: 1250, unit: 'tokens' }, '1250', 'tokens'],
  [{ balance: 80, unit: 'points' }, '80', 'points'],
  [{ balance: 12.5, currency: 'EUR' }, '12.5', 'EUR'],
  [{ balance: '€12.50' }, '12.5', 'EUR'],
  [{ balance: { amount: 12.5, currency: 'eur' } }, '12.5', 'EUR'],
  [{ currency: 'GBP', data: { balance: { available: 3 } } }, '3', 'GBP'],
  [{ balance_cents: 1250, currency: 'EUR' }, '12.5', 'EUR'],
  [{ total_granted: 20, total_used: 7.5, currency: 'EUR' }, '12.5', 'EUR'],
])('a balance in another unit is never dollars when it is written %j', (answer, amount, unit) => {
  expect(other(answer)).toEqual({ amount, unit });
  expect(balance(answer)).toBe(null);
  expect(readAccount(answer)).toMatchObject({ balance: null, otherBalance: { amount, unit } });
});

test('amounts keep their value in dollars and in cents under every known name and nesting', () => {
  const shapes = fc.constantFrom(
    (amount: string, unit: object) => ({ balance: amount, ...unit }),
    (amount: string, unit: object) => ({ data: { balance: amount }, ...unit }),
    (amount: string, unit: object) => ({ balance: { amount, ...unit } }),
    (amount: string, unit: object) => ({ credits: amount, ...unit }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), shapes, (nano, shape) => {
      const usd = formatUsd(nanoUsd(nano));
      expect(balance(shape(usd, { currency: 'USD' }))).toBe(usd);
      expect(balance(shape(formatUsd(nanoUsd(nano * 100n)), { unit: 'cents' }))).toBe(usd);
      expect(balance(shape(usd, { currency: 'EUR' }))).toBe(null);
      expect(other(shape(usd, { currency: 'EUR' }))).toEqual({ amount: usd, unit: 'EUR' });
    }),
  );
});

test('an account reports a balance in another unit beside everything else', () => {
  expect(readAccount({ account: { id: 'a1', balance_cents: 1250 } })).toMatchObject({ balance: { amount: '12.5' } });
  expect(readAccount({ id: 'a1', balance: { amount: '12.50', currency: 'EUR' } })).toMatchObject({
    id: 'a1',
    balance: null,
    otherBalance: { amount: '12.5', unit: 'EUR' },
  });
});

test('the cost of usage and answers is unknown when the gateway counts in another currency', () => {
  const usage = { currency: 'EUR', total_cost: '7.50', requests: 3 };
  expect(readUsage(usage, 'day')?.totals).toMatchObject({ requests: 3, cost_usd: null });
  expect(readUsage({ currency: 'EUR', total_cost: '7.50' }, 'day')).toBe(null);
  expect(hasOtherCost({ currency: 'EUR', total_cost: '7.50' })).toBe(true);
  expect(hasOtherCost({ total_cost: '7.50' })).toBe(false);
  const models = { currency: 'EUR', by_model: [{ model: 'a/b', cost: 2 }] };
  expect(readUsage(models, 'model')?.data).toMatchObject([{ cost_usd: null }]);
  const counts = { prompt_tokens: 1, completion_tokens: 1, cost: 0.5 };
  expect(readChunk({ usage: { ...counts, currency: 'EUR' } })?.usage?.cost_usd).toBe(null);
  expect(readChunk({ currency: 'EUR', usage: counts })?.usage?.cost_usd).toBe(null);
  expect(readChunk({ usage: { ...counts, currency: 'USD' } })?.usage?.cost_usd).toBe('0.5');
  expect(readChunk({ usage: counts })?.usage?.cost_usd).toBe('0.5');
});

const price = (pricing: object) => readModels([{ id: 'a/b', pricing }])?.models[0]?.pricing?.prompt ?? null;

test.each([
  ...['per 1M tokens', '1M tokens', 'million tokens', 'USD per million tokens', 'per_million_tokens', 'MTok'],
  ...[
    'USD/1M tokens',
    'usd_per_1m_tokens',
    '$/1M tokens',
    '1,000,000 tokens',
    '1_000_000',
    '1e6',
    '1M',
    '$ per 1M tokens',
  ],
])('a price is per million tokens when its unit is "%s"', (unit) => {
  expect(price({ input: 0.75, output: 4.5, unit })).toBe('0.00000075');
});

test.each([
  ['cents per 1M tokens', 75],
  ['¢/1M tokens', 75],
  ['usd cents per million tokens', 75],
  ['per 1K tokens', 0.00075],
  ['usd per thousand tokens', 0.00075],
  ['token', 0.00000075],
  ['per_token', 0.00000075],
  ['1', 0.00000075],
])('a price keeps its value when its unit is "%s"', (unit, input) => {
  expect(price({ input, output: input, unit })).toBe('0.00000075');
});

test.each(['per 1M characters', 'EUR per 1M tokens', 'credits per 1M tokens', '10M tokens', 'per image', 'per hour'])(
  'a price is unknown when its unit is "%s"',
  (unit) => {
    expect(price({ input: 0.75, output: 4.5, unit })).toBe(null);
  },
);

test('prices in the usual forms are read unchanged', () => {
  expect(price({ prompt: '0.00000075', completion: '0.0000045' })).toBe('0.00000075');
  expect(price({ input_per_million: 0.75, output_per_million: 4.5 })).toBe('0.00000075');
  expect(price({ input: 0.75, output: 4.5, per: 1_000_000 })).toBe('0.00000075');
  expect(price({ input: 0.75, output: 4.5, unit: 'USD', per: '1M tokens' })).toBe('0.00000075');
  expect(price({ input: 75, output: 450, currency: 'EUR', unit: '1M tokens' })).toBe(null);
  const litellm = { id: 'gpt', input_cost_per_token: 7.5e-7, output_cost_per_token: 4.5e-6 };
  expect(readModels({ data: [litellm] })?.models[0]?.pricing).toMatchObject({ prompt: '0.00000075' });
});

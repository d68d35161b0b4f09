import { expect, test } from 'vitest';
import { priceDifference } from './price-difference.ts';

const pricing = (prompt: string, completion: string) => ({
  currency: 'USD' as const,
  unit: 'token' as const,
  prompt,
  completion,
  input_cache_read: '0',
  input_cache_write: null,
  request: '0',
  image: null,
  tiers: [],
  as_of: null,
  source: null,
});
const usage = { promptTokens: 1000, completionTokens: 100, cachedTokens: 500, reasoningTokens: 0 };
const dear = pricing('0.000005', '0.000025');
const cheap = pricing('0.00000015', '0.0000006');

test('the difference is told per million tokens and for the tokens of this answer, exactly', () => {
  expect(priceDifference(dear, cheap, usage)).toEqual({
    price: '$0.15 / $0.60',
    difference: '−$4.85 / −$24.40',
    same: { cost: '$0.00021', difference: '-$0.00729' },
  });
  expect(priceDifference(cheap, dear, usage)).toMatchObject({
    difference: '+$4.85 / +$24.40',
    same: { cost: '$0.0075', difference: '+$0.00729' },
  });
});

test('what is not known is not told', () => {
  expect(priceDifference(dear, null, usage)).toEqual({ price: '', difference: '', same: null });
  expect(priceDifference(null, cheap, null)).toEqual({ price: '$0.15 / $0.60', difference: '', same: null });
  expect(priceDifference(null, cheap, usage).same).toEqual({ cost: '$0.00021', difference: '' });
  expect(priceDifference(cheap, cheap, usage)).toMatchObject({ difference: '', same: { difference: '' } });
});

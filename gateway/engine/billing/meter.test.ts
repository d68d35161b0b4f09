import { expect, test } from 'vitest';
import { noTokens } from '#shared/price.ts';
import { Meter } from './meter.ts';

test('an answer of an upstream that counts nothing is estimated, not free', () => {
  const meter = new Meter(7);
  meter.observe({ type: 'usage', usage: noTokens });
  meter.observe({ type: 'text-delta', text: 'seven words or so are written here' });
  meter.observe({ type: 'usage', usage: noTokens });
  const { usage, estimated } = meter.complete();
  expect(estimated).toBe(true);
  expect(usage.promptTokens).toBe(7);
  expect(usage.completionTokens).toBeGreaterThan(5);
});

test('a possible count by the upstream is believed', () => {
  const meter = new Meter(7);
  const usage = { ...noTokens, promptTokens: 9, completionTokens: 2 };
  meter.observe({ type: 'usage', usage });
  meter.observe({ type: 'text-delta', text: 'hi' });
  expect(meter.complete()).toEqual({ usage, estimated: false, reportedCost: null });
});

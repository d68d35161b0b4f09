import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { usage } from '#shared/wire/usage.ts';
import { chatEnded } from '../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { usageReport } from './usage-report.ts';

const counters = (nano: bigint) => ({
  requests: 1,
  succeeded: 1,
  failed: 0,
  cancelled: 0,
  prompt_tokens: 10,
  cached_tokens: 4,
  completion_tokens: 3,
  reasoning_tokens: 3,
  total_tokens: 13,
  cost_usd: formatUsd(nanoUsd(nano)),
  byok_requests: 0,
  byok_upstream_cost_usd: '0',
});
const of = (nanos: readonly bigint[]) =>
  usage.parse({
    object: 'usage',
    period: { type: 'custom', start: 0, end: 1 },
    totals: counters(nanos.reduce((sum, nano) => sum + nano, 0n)),
    group_by: 'model',
    data: nanos.map((nano, at) => ({
      object: 'usage.bucket',
      provider: 'openai',
      model: `model-${at}`,
      day: null,
      key: null,
      status: null,
      ...counters(nano),
    })),
    has_more: false,
    first_id: null,
    last_id: null,
    limits: [],
  });

test('buckets are in order of cost, and their shares are between none and all of it', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { maxLength: 6 }), (nanos) => {
      const shares = usageReport(of(nanos), () => null).data.map(({ share }) => share ?? Number.NaN);
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    }),
  );
});

test('the parts of the tokens do not overlap, and an unknown model keeps its id', () => {
  expect(usageReport(of([1n]), () => null).data[0]).toMatchObject({
    name: 'model-0',
    share: 1,
    tokens: { input: 6, cached: 4, output: 0, reasoning: 3 },
  });
});

test('each grouping has the names that people know: of models, of keys', async () => {
  const { client } = await coreOfTest({ openGateway });
  await client.models.list();
  const text = 'Name a lake';
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text, model: 'sandbox/echo' });
  await chatEnded(client, conversationId);
  const named = async (groupBy: 'model' | 'provider' | 'key' | 'status') => {
    const { data } = await client.usage.get({ wallet: 'sandbox', groupBy });
    return data.map(({ name, provider, status, requests }) => ({ name, provider, status, requests }));
  };
  const none = { name: null, provider: null, status: null, requests: 1 };
  expect(await named('model')).toEqual([{ ...none, name: 'Sandbox Echo', provider: 'sandbox' }]);
  expect(await named('provider')).toEqual([{ ...none, provider: 'sandbox' }]);
  expect(await named('key')).toEqual([{ ...none, name: 'Portico' }]);
  expect(await named('status')).toEqual([{ ...none, status: 'succeeded' }]);
});

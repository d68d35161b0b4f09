import { expect, test } from 'vitest';
import type { ReportedRequest } from '#shared/client/reported.ts';
import { billOfRecord, costOfRecord } from './cost.ts';

const record = {
  id: 'req_1',
  object: 'request',
  created: 1,
  provider: 'openai',
  model: 'gpt-5.6-sol',
  status: 'cancelled',
  error_code: 'client_closed_request',
  purpose: null,
  conversation_id: null,
  prompt_tokens: 7,
  completion_tokens: 32_000,
  total_tokens: 32_007,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 32_000,
  cost_usd: '0.640028',
  upstream_cost_usd: '0.640028',
  estimated: true,
  byok: false,
  latency_ms: { first_token: 1, total: 2 },
  key_id: null,
  price: {
    prompt: '0.000004',
    completion: '0.00002',
    input_cache_read: null,
    input_cache_write: null,
    request: '0',
    tiers: [],
  },
  routing: null,
  metadata: {},
} as unknown as ReportedRequest;

test('a bill has an upper bound when the client disconnected before the provider counted the tokens', () => {
  const source = 'gateway/main';
  const left = { ...record, cost_up_to_usd: '2.560028' };
  expect(costOfRecord(left, source)).toEqual({ costUsd: '0.640028', costSource: 'estimated' });
  expect(billOfRecord(left, source)).toMatchObject({ upTo: '2.560028' });
  expect(billOfRecord(record, source)).not.toHaveProperty('upTo');
  expect(billOfRecord({ ...left, estimated: false }, source)).not.toHaveProperty('upTo');
});

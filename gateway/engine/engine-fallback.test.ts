import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { errorBody } from '#shared/wire/error.ts';
import { getEvents } from '../../tests/gateway-doubles/events-of.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { testModel, testPrice } from '../../tests/gateway-doubles/test-models.ts';
import { byProvider, openThreeProviders, type ThreeProviders } from '../../tests/gateway-doubles/three-providers.ts';
import {
  brokenReply,
  errorReply,
  type Reply,
  streamReply,
  type Upstream,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { figure } from '../../tests/support/figures.ts';
import { limitModels } from '../operations/operator/operator-store.ts';

let upstream: Upstream;
let open: ThreeProviders['open'];
let close: ThreeProviders['close'];
beforeEach(async () => {
  ({ upstream, open, close } = await openThreeProviders());
});
afterEach(() => close());

const messages = [{ role: 'user', content: 'hello' }];
const toOpenAi = { model: 'openai/gpt-x', messages };
const path = '/v1/chat/completions';
const wholeOpenAi = recordedStreams.openai.join('');
const wholeAnthropic = recordedStreams.anthropic.join('');
/** 20 input tokens and 11 of output at $1 and $4 per million, in nano-USD. */
const recordedCost = 20n * 1_000n + 11n * 4_000n;

describe('fallback', () => {
  const viaRouter = { model: 'router', messages };
  /** OpenAI first by price, Anthropic second. */
  const models = [
    testModel('openai/gpt-x', { price: testPrice('0.0000001', '0.0000004') }),
    testModel('anthropic/claude-x'),
  ];

  test('a model whose own limit is used up is passed over by the router, and named in the error when no other is left', async () => {
    upstream.replyWith(byProvider({ openai: streamReply(wholeOpenAi), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models });
    const limit = (limits: Readonly<Record<string, bigint>>) =>
      bench.db.transaction().execute((trx) => limitModels(trx, bench.principal.accountId, limits));
    await limit({ 'openai/gpt-x': 1n });
    const response = await bench.post(path, viaRouter);
    expect(response.headers.get('x-portico-provider')).toBe('anthropic');
    expect(await bench.onlyRequest()).toMatchObject({ provider: 'anthropic', charge: recordedCost });
    const direct = await bench.post(path, toOpenAi);
    expect(direct.status).toBe(403);
    expect(errorBody.parse(await direct.json()).error).toMatchObject({
      code: 'plan_limit_exceeded',
      details: { limit: 'account_model_month_usd', model: 'openai/gpt-x' },
    });
    await limit({ 'anthropic/claude-x': recordedCost + 1n });
    const neither = await bench.post(path, viaRouter);
    expect(neither.status).toBe(403);
    expect((await bench.requests()).length).toBe(1);
    expect(upstream.calls).toHaveLength(1);
  });

  test('a model that failed is not followed by one whose limit is used up', async () => {
    upstream.replyWith(byProvider({ openai: errorReply(500, {}), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models });
    await bench.db
      .transaction()
      .execute((trx) => limitModels(trx, bench.principal.accountId, { 'anthropic/claude-x': 1n }));
    const response = await bench.post(path, viaRouter);
    expect(response.status).toBe(502);
    expect(upstream.calls).toHaveLength(1);
    expect(await bench.onlyRequest()).toMatchObject({ provider: 'openai', status: 'failed', charge: 0n });
  });

  test('a model that failed is followed by one whose limit covers the request, and that limit counts it', async () => {
    upstream.replyWith(byProvider({ openai: errorReply(500, {}), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models });
    const limits = { 'openai/gpt-x': 10n ** 12n, 'anthropic/claude-x': 10n ** 12n };
    await bench.db.transaction().execute((trx) => limitModels(trx, bench.principal.accountId, limits));
    const response = await bench.post(path, viaRouter);
    expect(response.headers.get('x-portico-provider')).toBe('anthropic');
    await response.text();
    expect(await bench.onlyRequest()).toMatchObject({
      provider: 'anthropic',
      status: 'succeeded',
      charge: recordedCost,
    });
    const { model_limits } = await bench.db.selectFrom('accounts').select('model_limits').executeTakeFirstOrThrow();
    expect(JSON.parse(model_limits ?? '')).toEqual({
      'openai/gpt-x': [`${10n ** 12n}`, '0', '0'],
      'anthropic/claude-x': [`${10n ** 12n}`, `${recordedCost}`, '0'],
    });
  });

  test.each([
    ['529', errorReply(529, {})],
    ['500', errorReply(500, {})],
    ['429', errorReply(429, {})],
    ['401', errorReply(401, {})],
    ['404', errorReply(404, {})],
    [
      'a parameter that the model refuses',
      errorReply(400, {
        error: {
          message: "Unsupported parameter: 'top_p' is not supported with this model.",
          code: 'unsupported_parameter',
        },
      }),
    ],
    [
      'an API that the model does not take it by',
      errorReply(400, {
        error: {
          message:
            'Function tools with reasoning_effort are not supported for gpt-x in /v1/chat/completions. Please use /v1/responses instead.',
        },
      }),
    ],
    ['a stream with nothing in it', streamReply('')],
    ['a broken connection', brokenReply(': hello\n\n')],
    ['garbage', streamReply('data: <html>\n\n')],
    ['an end before any content', streamReply(recordedStreams.openai[0] ?? '')],
    ['a usage without any content', streamReply(recordedStreams.openai[8] ?? '')],
  ])('after %s, another provider answers and only it is paid', async (_name, reply) => {
    upstream.replyWith(byProvider({ openai: reply, anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models });
    const response = await bench.post(path, viaRouter);
    expect(response.headers.get('x-portico-provider')).toBe('anthropic');
    expect(response.headers.get('x-portico-attempts')).toBe('2');
    const { routing } = completionResponse.parse(await response.json());
    expect(routing.attempts.map((entry) => [entry.provider, entry.status])).toEqual([
      ['openai', 'error'],
      ['anthropic', 'ok'],
    ]);
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ provider: 'anthropic', charge: recordedCost });
    expect(row.upstream_cost).toBeGreaterThanOrEqual(recordedCost);
    expect((await bench.account()).held).toBe(0n);
  });

  test('never happens after the first word', async () => {
    upstream.replyWith(
      byProvider({
        openai: brokenReply(recordedStreams.openai.slice(0, 2).join('')),
        anthropic: streamReply(wholeAnthropic),
      }),
    );
    const bench = await open({ models });
    const events = await getEvents(await bench.post(path, { ...viaRouter, stream: true }));
    expect(JSON.parse(events.at(-1) ?? '').error.code).toBe('upstream_truncated');
    expect(upstream.calls).toHaveLength(1);
  });

  test.each([
    ['a bad request', errorReply(400, { error: { message: 'no' } }), 'upstream_invalid_request'],
    [
      'a policy violation',
      errorReply(400, { error: { code: 'content_policy_violation' } }),
      'content_policy_violation',
    ],
  ])('does not happen after %s', async (_name, reply, code) => {
    upstream.replyWith(reply);
    const bench = await open({ models });
    const response = await bench.post(path, viaRouter);
    expect(errorBody.parse(await response.json()).error.code).toBe(code);
    expect(upstream.calls).toHaveLength(1);
  });

  test('does not happen for a model that was named', async () => {
    upstream.replyWith(errorReply(529, {}));
    const bench = await open({ models });
    expect((await bench.post(path, toOpenAi)).status).toBe(503);
    expect(upstream.calls).toHaveLength(1);
  });

  test('does not happen when the caller forbids it', async () => {
    upstream.replyWith(errorReply(529, {}));
    const bench = await open({ models });
    await bench.post(path, { ...viaRouter, route: { allow_fallbacks: false } });
    expect(upstream.calls).toHaveLength(1);
  });

  test('after a context that is too long goes to a larger one only', async () => {
    const tooLong = errorReply(400, { error: { code: 'context_length_exceeded', message: 'x' } });
    upstream.replyWith(byProvider({ openai: tooLong, google: streamReply(recordedStreams.google.join('')) }));
    const larger = testModel('google/gemini-x', { contextLength: 1_000_000, price: testPrice('0.00001', '0.00004') });
    const bench = await open({ models: [...models, larger] });
    const response = await bench.post(path, viaRouter);
    expect(response.headers.get('x-portico-provider')).toBe('google');
    expect(upstream.calls).toHaveLength(2);
  });

  test('happens when an upstream does not begin in time', async () => {
    upstream.replyWith(byProvider({ openai: () => {}, anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models, timeouts: { attemptMs: 30 } });
    const { routing } = completionResponse.parse(await (await bench.post(path, viaRouter)).json());
    expect(routing.attempts[0]?.code).toBe('upstream_timeout');
    await upstream.calls[0]?.closed;
  });

  test('avoids a failing model after five failures', async () => {
    upstream.replyWith(byProvider({ openai: errorReply(500, {}), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models });
    for (let index = 0; index < 8; index += 1) await bench.post(path, viaRouter);
    expect(upstream.calls.filter((call) => call.path.includes('chat')).length).toBeLessThanOrEqual(5);
  });
});

describe('under load, with 20 at a time', () => {
  const requests = 600;
  const viaRouter = { model: 'router', messages, max_tokens: 20 };
  const answers = { openai: streamReply(wholeOpenAi), anthropic: streamReply(wholeAnthropic) };
  const google = streamReply(recordedStreams.google.join(''));
  const everyTwentieth = (reply: Reply): Reply => {
    let count = 0;
    return (call, response) => (count++ % 20 === 0 ? errorReply(503, {}) : reply)(call, response);
  };

  test.each<[string, Parameters<typeof byProvider>[0], { readonly answered: number }]>([
    ['one of three providers always fails', { ...answers, openai: errorReply(500, {}), google }, { answered: 1 }],
    [
      'all of them fail each twentieth time',
      {
        openai: everyTwentieth(answers.openai),
        anthropic: everyTwentieth(answers.anthropic),
        google: everyTwentieth(google),
      },
      { answered: 0.98 },
    ],
    ['all of them always fail', {}, { answered: 0 }],
  ])('%s: at most 1.1 calls a request, and nothing stays held', async (name, replies, { answered }) => {
    upstream.replyWith(byProvider(replies));
    const bench = await open({ plan: 'enterprise', balance: '100' });
    const statuses: number[] = [];
    for (let sent = 0; sent < requests; sent += 20) {
      const together = Array.from({ length: 20 }, async () => {
        const response = await bench.post(path, viaRouter);
        await response.text();
        statuses.push(response.status);
      });
      await Promise.all(together);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(answered * requests);
    expect(upstream.calls.length / requests).toBeLessThanOrEqual(1.1);
    expect((await bench.account()).held).toBe(0n);
    figure('fallback', `${name}: ${(upstream.calls.length / requests).toFixed(2)} calls a request`);
  });
});

describe('the router', () => {
  test('never picks a simulated model while a real one may be asked', async () => {
    upstream.replyWith(streamReply(wholeOpenAi));
    const bench = await open({ models: [testModel('openai/gpt-x', { quality: 0, price: testPrice('0.01', '0.04') })] });
    const response = await bench.post(path, { messages, max_tokens: 20 });
    expect(response.headers.get('x-portico-provider')).toBe('openai');
  });

  test('lets the simulated model "tour" answer when no real model is configured', async () => {
    const bench = await open({ providers: {} });
    const response = await bench.post(path, { messages });
    expect(response.headers.get('x-portico-model')).toBe('tour');
    expect(response.headers.get('x-portico-route')).toMatch(
      /^policy=balanced;tier=simple;score=[\d.]+;eligible=\d+\/\d+$/,
    );
  });

  test('explains why no model may answer', async () => {
    const bench = await open();
    const response = await bench.post(path, { messages, route: { only: ['openai'], max_cost_usd: '0' } });
    const { error } = errorBody.parse(await response.json());
    expect(error.code).toBe('no_eligible_model');
    expect(error.details?.excluded).toContainEqual({ id: 'openai/gpt-x', excluded: ['max_cost'] });
  });

  test('explains every candidate when that is asked for', async () => {
    upstream.replyWith(byProvider({ openai: streamReply(wholeOpenAi), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models: [testModel('openai/gpt-x'), testModel('anthropic/claude-x')] });
    const headers = { 'x-portico-route-detail': 'full' };
    const response = await bench.post(path, { messages }, { headers });
    const { routing } = completionResponse.parse(await response.json());
    expect(routing.candidates?.map((candidate) => candidate.id)).toContain('openai/gpt-x');
    expect(routing.candidates).toContainEqual({ id: 'sandbox/tour', excluded: ['simulated'] });
  });

  test('keeps a tool loop on the model that asked for the tool', async () => {
    const model = (id: string, prompt: string) => testModel(id, { price: testPrice(prompt, prompt) });
    upstream.replyWith(byProvider({ openai: streamReply(wholeOpenAi), anthropic: streamReply(wholeAnthropic) }));
    const bench = await open({ models: [model('openai/gpt-x', '0.0001'), model('anthropic/claude-x', '0.000001')] });
    const first = { messages, session_id: 's', route: { only: ['openai'] } };
    const { choices } = completionResponse.parse(await (await bench.post(path, first)).json());
    const [call] = choices[0]?.message.tool_calls ?? [];
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const results = [...messages, message, { role: 'tool', tool_call_id: call?.id, content: '1' }];
    const second = await bench.post(path, { messages: results, session_id: 's' });
    expect(second.headers.get('x-portico-provider')).toBe('openai');
  });
});

describe('the caller’s own key', () => {
  const canary = 'sk-byo-canary-8d1f0a';
  test.each([
    [401, { error: { message: `Incorrect API key: ${canary}` } }, 400, 'byoapi_key_rejected'],
    [403, {}, 400, 'byoapi_key_rejected'],
    [429, { error: { code: 'insufficient_quota' } }, 402, 'byoapi_key_insufficient_quota'],
    [429, {}, 429, 'upstream_rate_limited'],
    [400, { error: { message: `bad: ${canary}` } }, 400, 'upstream_invalid_request'],
    [500, {}, 502, 'upstream_error'],
  ])(
    'status %i with %j becomes %i %s, no other key is tried, and nothing of the key is stored',
    async (status, body, ours, code) => {
      upstream.replyWith(errorReply(status, body));
      const bench = await open();
      const response = await bench.post(path, { ...toOpenAi, byoapi_key: canary, stream: true });
      const text = await response.text();
      expect([response.status, JSON.parse(text).error.code]).toEqual([ours, code]);
      expect([...new Set(upstream.calls.map((call) => call.headers.authorization))]).toEqual([`Bearer ${canary}`]);
      const everything = [
        text,
        JSON.stringify(bench.logged),
        ...(await bench.requests()).map((row) => Object.values(row).join()),
      ];
      expect(everything.join('\n')).not.toContain('canary');
      expect(bench.health.of('openai/gpt-x').errorRate).toBe(0);
    },
  );

  test('is not needed for, and not sent to, any other provider', async () => {
    upstream.replyWith(errorReply(500, {}));
    const bench = await open();
    await bench.post(path, { provider: 'openai', messages, byoapi_key: canary });
    expect(upstream.calls.every((call) => call.path.startsWith('/v1/chat'))).toBe(true);
  });
});

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
  hangingReply,
  type Reply,
  streamReply,
  type Upstream,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { getPlan } from '../access/auth/plans.ts';

let upstream: Upstream;
let open: ThreeProviders['open'];
let close: ThreeProviders['close'];
beforeEach(async () => {
  ({ upstream, open, close } = await openThreeProviders());
});
afterEach(() => close());

/** The client disconnects as soon as the gateway has read a first piece of the answer. */
const disconnectingAfterFirstChunk =
  (abort: AbortController): typeof fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        setImmediate(() => abort.abort());
      },
    });
    return new Response(response.body?.pipeThrough(watch) ?? null, response);
  };

const messages = [{ role: 'user', content: 'hello' }];
const toOpenAi = { model: 'openai/gpt-x', messages };
const toAnthropic = { model: 'anthropic/claude-x', messages };
const path = '/v1/chat/completions';
const wholeOpenAi = recordedStreams.openai.join('');
const wholeAnthropic = recordedStreams.anthropic.join('');
/** 20 input tokens and 11 of output at $1 and $4 per million, in nano-USD. */
const recordedCost = 20n * 1_000n + 11n * 4_000n;

const withFinish = (reason: string) =>
  wholeOpenAi.replace('"finish_reason":"tool_calls"', `"finish_reason":"${reason}"`);

describe('what is charged (the billing table)', () => {
  test.each(['stop', 'length', 'content_filter', 'tool_calls'])(
    'an answer that ended with %s costs what the upstream counted times the price',
    async (reason) => {
      upstream.replyWith(streamReply(withFinish(reason)));
      const bench = await open();
      const answer = completionResponse.parse(await (await bench.post(path, toOpenAi)).json());
      expect(answer.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 11, cost_usd: '0.000064' });
      expect(await bench.onlyRequest()).toMatchObject({
        status: 'succeeded',
        charge: recordedCost,
        upstream_cost: recordedCost,
        estimated: 0n,
        prompt_tokens: 20n,
        completion_tokens: 11n,
        cached_tokens: 8n,
        reasoning_tokens: 4n,
        hold: 0n,
      });
      expect(await bench.account()).toEqual({ balance: 10_000_000_000n - recordedCost, held: 0n });
    },
  );

  test('an answer whose upstream reported no count costs an estimate, and is marked as estimated', async () => {
    upstream.replyWith(
      streamReply(recordedStreams.openai.filter((event) => !event.includes('"prompt_tokens"')).join('')),
    );
    const bench = await open();
    const answer = completionResponse.parse(await (await bench.post(path, toOpenAi)).json());
    expect(answer.usage.estimated).toBe(true);
    expect(answer.usage.completion_tokens).toBeGreaterThan(5);
    expect((await bench.onlyRequest()).charge).toBeGreaterThan(0n);
  });

  test('a client that disconnects in the middle pays for what had come, and the upstream is aborted', async () => {
    const begun = recordedStreams.anthropic.slice(0, 8).join('');
    upstream.replyWith(hangingReply(begun));
    const bench = await open();
    const response = await bench.post(path, { ...toAnthropic, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await upstream.calls[0]?.closed;
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'cancelled', error_code: 'client_closed_request', prompt_tokens: 20n });
    expect(row.estimated).toBe(1n);
    expect(row.charge).toBe(row.prompt_tokens * 1_000n + row.completion_tokens * 4_000n);
    expect((await bench.account()).held).toBe(0n);
  });

  test('a client that disconnects after the upstream had read the prompt pays for the prompt', async () => {
    const abort = new AbortController();
    upstream.replyWith(hangingReply(recordedStreams.anthropic[0] ?? ''));
    const bench = await open({ fetch: disconnectingAfterFirstChunk(abort) });
    await bench.post(path, { ...toAnthropic, stream: true }, { signal: abort.signal });
    await upstream.calls[0]?.closed;
    const cost = 20n * 1_000n + 1n * 4_000n;
    expect(await bench.onlyRequest()).toMatchObject({ status: 'cancelled', charge: cost, upstream_cost: cost });
  });

  test('a client that disconnects before the first byte pays nothing', async () => {
    const abort = new AbortController();
    upstream.replyWith(() => abort.abort());
    const bench = await open();
    await bench.post(path, { ...toOpenAi, stream: true }, { signal: abort.signal });
    await upstream.calls[0]?.closed;
    expect(await bench.onlyRequest()).toMatchObject({
      status: 'cancelled',
      charge: 0n,
      upstream_cost: 0n,
      prompt_tokens: 0n,
    });
  });

  test('a client that disconnects from a non-streaming answer pays for what had come', async () => {
    const abort = new AbortController();
    upstream.replyWith(hangingReply(recordedStreams.openai.slice(0, 2).join('')));
    const bench = await open({ fetch: disconnectingAfterFirstChunk(abort), timeouts: { readOnMs: 50 } });
    await bench.post(path, toOpenAi, { signal: abort.signal });
    await upstream.calls[0]?.closed;
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'cancelled', estimated: 1n });
    expect(row.charge).toBeGreaterThan(0n);
  });

  test('an answer whose upstream failed costs nothing', async () => {
    upstream.replyWith(errorReply(500, {}));
    const bench = await open();
    const response = await bench.post(path, toOpenAi);
    expect(response.status).toBe(502);
    expect(await bench.onlyRequest()).toMatchObject({ status: 'failed', error_code: 'upstream_error', charge: 0n });
    expect(await bench.account()).toEqual({ balance: 10_000_000_000n, held: 0n });
  });

  test('an answer that broke off costs what was delivered of it', async () => {
    upstream.replyWith(brokenReply(recordedStreams.anthropic.slice(0, 8).join('')));
    const bench = await open();
    const events = await getEvents(await bench.post(path, { ...toAnthropic, stream: true }));
    expect(JSON.parse(events.at(-1) ?? '').error).toMatchObject({ code: 'upstream_truncated', provider: 'anthropic' });
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'failed', charge: row.upstream_cost });
    expect(row.upstream_cost).toBeGreaterThan(20_000n);
  });

  test('with the caller’s own key nothing is charged, and the provider’s cost is reported', async () => {
    upstream.replyWith(streamReply(wholeOpenAi));
    const bench = await open({ balance: '0' });
    const response = await bench.post(path, { ...toOpenAi, byoapi_key: 'own-key-of-caller' });
    const answer = completionResponse.parse(await response.json());
    expect(answer).toMatchObject({ byok: true, usage: { cost_usd: '0', upstream_cost_usd: '0.000064' } });
    expect(await bench.onlyRequest()).toMatchObject({ byok: 1n, charge: 0n, upstream_cost: recordedCost });
    expect(upstream.calls[0]?.headers.authorization).toBe('Bearer own-key-of-caller');
  });
});

describe('the hold', () => {
  test('is refused with 402 and the tokens that the balance covers, before any upstream is called', async () => {
    const bench = await open({ balance: '0.001' });
    const response = await bench.post(path, { ...toOpenAi, max_tokens: 4_000 });
    const { error } = errorBody.parse(await response.json());
    expect(error).toMatchObject({ code: 'insufficient_credits', status_code: 402 });
    const affordable = Number(error.details?.affordable_max_tokens);
    expect(error.message).toContain(String(affordable));
    expect(upstream.calls).toEqual([]);
    upstream.replyWith(streamReply(wholeOpenAi));
    expect((await bench.post(path, { ...toOpenAi, max_tokens: affordable })).status).toBe(200);
  });

  const long = (pieces: number) =>
    [
      ...Array.from({ length: pieces }, () => ({
        choices: [{ index: 0, delta: { content: 'x'.repeat(1_000) }, finish_reason: null }],
      })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join('');

  test('grows before an answer outgrows it', async () => {
    upstream.replyWith(streamReply(long(40)));
    const bench = await open();
    const answer = completionResponse.parse(await (await bench.post(path, toOpenAi)).json());
    expect(answer.choices[0]?.message.content).toHaveLength(40_000);
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect((await bench.account()).held).toBe(0n);
  });

  test('that cannot be raised ends the answer with finish_reason length, a charge and a warning, and stops the upstream', async () => {
    upstream.replyWith(streamReply(long(40)));
    const bench = await open({ balance: '0.017' });
    const answer = completionResponse.parse(await (await bench.post(path, toOpenAi)).json());
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.warnings.map((warning) => warning.code)).toEqual(['stopped_by_credit']);
    await upstream.calls[0]?.closed;
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'succeeded', estimated: 1n });
    expect(row.charge).toBeGreaterThan(10_000_000n);
    expect((await bench.account()).held).toBe(0n);
  });

  test('is not needed for an account that is only metered', async () => {
    upstream.replyWith(streamReply(wholeOpenAi));
    const bench = await open({ balance: '0', plan: 'local' });
    expect((await bench.post(path, toOpenAi)).status).toBe(200);
    expect((await bench.onlyRequest()).charge).toBe(recordedCost);
  });
});

describe('the end of a running answer', () => {
  test('comes after the grace period of a shutdown, and what was delivered is charged', async () => {
    upstream.replyWith(hangingReply(recordedStreams.openai.slice(0, 2).join('')));
    const bench = await open();
    const response = await bench.post(path, { ...toOpenAi, stream: true });
    const events = getEvents(response);
    await bench.running.drain(10);
    expect(JSON.parse((await events).at(-1) ?? '').error.code).toBe('shutting_down');
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'failed', charge: row.upstream_cost, estimated: 1n });
    expect(row.charge).toBeGreaterThan(0n);
    await upstream.calls[0]?.closed;
  });

  test('comes as a timeout when it takes too long', async () => {
    upstream.replyWith(hangingReply(recordedStreams.openai.slice(0, 2).join('')));
    const bench = await open({ timeouts: { totalMs: 4_000 } });
    const events = await getEvents(await bench.post(path, { ...toOpenAi, stream: true }));
    expect(JSON.parse(events.at(-1) ?? '').error).toMatchObject({ code: 'upstream_timeout', status_code: 504 });
  });
});

describe('a slow upstream', () => {
  test('lets the client get headers and comments before the first word, and a fallback is still possible', async () => {
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Reply = async (call, response) => {
      await waiting;
      return errorReply(529, {})(call, response);
    };
    upstream.replyWith(byProvider({ openai: slow, anthropic: streamReply(wholeAnthropic) }));
    const cheap = testModel('openai/gpt-x', { price: testPrice('0.0000001', '0.0000004') });
    const bench = await open({
      models: [cheap, testModel('anthropic/claude-x')],
      streamTimes: { holdMs: 10, keepAliveMs: 10 },
    });
    const response = await bench.post(path, { model: 'router', messages, stream: true });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-portico-provider')).toBeNull();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(': keep-alive\n\n');
    expect((await reader?.read())?.value).toBe(': keep-alive\n\n');
    release();
    let rest = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) rest += part.value;
    expect(rest).toContain('"provider":"anthropic"');
    expect(rest.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('a caller', () => {
  test.each([
    ['a suspended account', { accountStatus: 'suspended' }, 'account_suspended'],
    ['a plan without chats', { plan: { ...getPlan('pro'), features: ['router', 'byok'] } }, 'plan_required'],
  ])('with %s is refused by the engine itself, even when nothing before it refused', async (_who, caller, code) => {
    const bench = await open();
    Object.assign(bench.principal, caller);
    expect(errorBody.parse(await (await bench.post(path, toOpenAi)).json()).error.code).toBe(code);
    expect([upstream.calls.length, (await bench.requests()).length]).toEqual([0, 0]);
  });
});

describe('a model that was named', () => {
  test('must meet the caller’s hard conditions too', async () => {
    const bench = await open();
    const dear = await bench.post(path, { ...toOpenAi, route: { max_cost_usd: '0.000001' } });
    expect(errorBody.parse(await dear.json()).error.code).toBe('no_eligible_model');
    const unable = await bench.post(path, { ...toOpenAi, seed: 7, route: { require_parameters: true } });
    const { error } = errorBody.parse(await unable.json());
    expect(error.details?.excluded).toEqual([{ id: 'openai/gpt-x', excluded: ['parameter:seed'] }]);
  });

  test('is not sent unsupported parameters, and the caller gets a warning', async () => {
    upstream.replyWith(streamReply(wholeOpenAi));
    const bench = await open();
    const body = { ...toOpenAi, seed: 7, user: 'someone@example.com', verbosity: 'low', parallel_tool_calls: true };
    const { warnings } = completionResponse.parse(await (await bench.post(path, body)).json());
    expect(warnings).toMatchObject([{ code: 'parameter_dropped', param: 'seed' }]);
    const sent = upstream.calls[0]?.body;
    expect(sent).toMatchObject({ verbosity: 'low', user: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(Object.keys(sent ?? {})).not.toContain('seed');
    expect(Object.keys(sent ?? {})).not.toContain('parallel_tool_calls');
  });

  test('that sends nothing at all still counts as one attempt', async () => {
    const empty = recordedStreams.openai.filter((event) => !/"content":"[^"]|tool_calls":\[/.test(event));
    upstream.replyWith(streamReply(empty.join('')));
    const bench = await open();
    const response = await bench.post(path, toOpenAi);
    expect(response.headers.get('x-portico-attempts')).toBe('1');
    expect(completionResponse.parse(await response.json()).choices[0]?.message.content).toBe('');
  });
});

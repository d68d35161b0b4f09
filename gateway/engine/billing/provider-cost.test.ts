import type { IncomingMessage, ServerResponse } from 'node:http';
import { LLMock } from '@copilotkit/aimock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { openUpstream, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';
import { listen } from '../../http/listen.ts';
import { createProviderCosts } from './provider-cost.ts';

/** Clients disconnect from answers of a provider that can be asked afterwards what an answer cost. */

const price = { input: '1', output: '2', cache_read: null, cache_write: null, tiers: [] };
const messages = [{ role: 'user', content: 'Tell me of the columns.' }];
const answer = 'Eight columns stand in front of the house, and every number on them is true. '.repeat(8);

/** Answers the provider's n-th call (from 1) for the cost of the answer with this id. */
type Report = (time: number, id: string, response: ServerResponse) => void;

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
/** The provider's report: 24 input and 9 output tokens for $0.0000321. */
const generation = (id: string, more: object = {}) => ({
  data: {
    id,
    model: 'acme/large',
    total_cost: 0.0000321,
    is_byok: false,
    cancelled: true,
    tokens_prompt: 20,
    tokens_completion: 7,
    native_tokens_prompt: 24,
    native_tokens_completion: 9,
    native_tokens_reasoning: 2,
    native_tokens_cached: 4,
    ...more,
  },
});
const notYet = (response: ServerResponse) => json(response, 404, { error: { message: 'Generation not found' } });

async function open(report: Report, options: { withinMs?: number; plan?: string } = {}) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.onMessage(/./, { content: answer }, { latency: 20, chunkSize: 10 });
  const asked: { readonly id: string; readonly authorization: string; readonly tenant: string }[] = [];
  mock.mount('/v1/generation', {
    async handleRequest(request: IncomingMessage, response: ServerResponse) {
      const id = new URL(request.url ?? '', 'http://mock').searchParams.get('id') ?? '';
      const { authorization = '', 'x-tenant': tenant = '' } = request.headers;
      asked.push({ id, authorization, tenant: String(tenant) });
      report(asked.length, id, response);
      return true;
    },
  });
  const origin = await mock.start();
  onTestFinished(() => mock.stop());
  const opened = await openTestGateway({
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    timeouts: { providerCostMs: options.withinMs ?? 2_000 },
    providers: {
      openrouter: {
        apiKey: new Secret('sk-first'),
        keys: [
          { label: 'first', secret: new Secret('sk-first') },
          { label: 'second', secret: new Secret('sk-second') },
        ],
        baseUrl: `${origin}/v1`,
        headers: new Map([['x-tenant', new Secret('blue')]]),
        models: [{ model: 'acme/large', sameAs: null, price }],
      },
    },
  });
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(server.close);
  const body = { model: 'openrouter/acme/large', stream: true, messages };
  const ask = (more: Record<string, string> = {}) => {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${opened.key}`, 'content-type': 'application/json', ...more };
    const response = fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: abort.signal,
    });
    return { response, abort };
  };
  /** Sends a request, reads the first words, and disconnects. */
  const askAndDisconnect = async (more?: Record<string, string>) => {
    const { response, abort } = ask(more);
    const reader = (await response).body?.getReader();
    for (let seen = ''; !seen.includes('Eight'); ) seen += new TextDecoder().decode((await reader?.read())?.value);
    abort.abort();
  };
  const records = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data;
  const ended = async () => {
    await expect.poll(async () => (await records()).map(({ status }) => status)).not.toContain('running');
    const { checks, sums } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sums).toMatchObject({ running: 0, held_usd: '0' });
    return (await records())[0];
  };
  const quote = async () => {
    const { cost_usd: cost } = (await (await opened.post('/v1/quote', body)).json()) as { cost_usd: { high: string } };
    return parseUsd(cost.high);
  };
  return { ...opened, asked, ask, askAndDisconnect, records, ended, quote };
}

const reportedRecord = {
  status: 'cancelled',
  cost_usd: '0.0000321',
  upstream_cost_usd: '0.0000321',
  estimated: false,
  prompt_tokens: 24,
  completion_tokens: 9,
  cached_tokens: 4,
  reasoning_tokens: 2,
};

test('an answer whose client disconnected costs what its provider reports afterwards, and keeps its hold until then', async () => {
  let sendReport = () => {};
  const { askAndDisconnect, ended, asked, call } = await open((_time, id, response) => {
    sendReport = () => json(response, 200, generation(id));
  });
  await askAndDisconnect();
  await expect.poll(() => asked.length).toBe(1);
  const { balance } = await (await call('/account')).json();
  expect(parseUsd(balance.held)).toBeGreaterThan(0n);
  sendReport();
  expect(await ended()).toMatchObject(reportedRecord);
  expect(asked).toEqual([
    { id: expect.stringMatching(/^chatcmpl-/), authorization: 'Bearer sk-first', tenant: 'blue' },
  ]);
});

test('a provider that does not know the cost yet is asked again', async () => {
  const { askAndDisconnect, ended, asked } = await open((time, id, response) =>
    time < 3 ? notYet(response) : json(response, 200, generation(id)),
  );
  await askAndDisconnect();
  expect(await ended()).toMatchObject(reportedRecord);
  expect(asked).toHaveLength(3);
});

test.each<[string, Report]>([
  ['never knows the cost', (_time, _id, response) => notYet(response)],
  ['does not answer', () => {}],
  ['begins to answer and does not end', (_time, _id, response) => void response.writeHead(200).write('{"data":')],
  ['hangs up', (_time, _id, response) => void response.destroy()],
  ['answers with an HTML page', (_time, _id, response) => json(response, 200, '<html></html>')],
  ['refuses the key', (_time, _id, response) => json(response, 401, { error: { message: 'no' } })],
  ['reports another answer', (_time, _id, response) => json(response, 200, generation('gen-of-somebody-else'))],
  ['reports no cost', (_time, id, response) => json(response, 200, generation(id, { total_cost: null }))],
  ['reports a cost below zero', (_time, id, response) => json(response, 200, generation(id, { total_cost: -5 }))],
  [
    'reports no token counts',
    (_time, id, response) => json(response, 200, generation(id, { native_tokens_prompt: -1, tokens_prompt: null })),
  ],
])('the estimate is charged when the provider %s', async (_what, how) => {
  const { askAndDisconnect, ended, asked, entries } = await open(how, { withinMs: 400 });
  await askAndDisconnect();
  const record = await ended();
  expect(record).toMatchObject({ status: 'cancelled', estimated: true });
  expect(parseUsd(record?.cost_usd ?? '0')).toBeGreaterThan(0n);
  expect(asked.length).toBeGreaterThan(0);
  expect(entries.filter(({ event }) => event === 'provider_cost_unknown')).toMatchObject([{ request_id: record?.id }]);
});

test.each([
  ['cost', { total_cost: 900 }],
  ['count', { native_tokens_prompt: 1e15, native_tokens_completion: 1e15 }],
  ['cost and count', { total_cost: 1e300, native_tokens_prompt: 1e15 }],
])('an impossible %s is charged up to what was held', async (_what, more) => {
  const { askAndDisconnect, ended, quote, entries } = await open((_time, id, response) =>
    json(response, 200, generation(id, more)),
  );
  const most = await quote();
  await askAndDisconnect();
  const record = await ended();
  expect(record).toMatchObject({ status: 'cancelled', estimated: true });
  expect(parseUsd(record?.cost_usd ?? '0')).toBeLessThanOrEqual(most);
  expect(entries.filter(({ event }) => event === 'usage_clamped')).toMatchObject([{ request_id: record?.id }]);
});

test('a client that disconnected may ask again at once, even with the same idempotency key', async () => {
  const places = 4;
  const options = { plan: 'free', withinMs: 5_000 };
  const { askAndDisconnect, ended, asked, records, ask } = await open(() => {}, options);
  for (let left = 0; left < places; left += 1) await askAndDisconnect({ 'idempotency-key': `left-${left}` });
  await expect.poll(() => asked.length).toBe(places);
  expect((await records()).map(({ status }) => status)).toEqual(Array(places).fill('running'));
  const { response, abort } = ask({ 'idempotency-key': 'left-0' });
  expect((await response).status).toBe(200);
  abort.abort();
  expect(await ended()).toMatchObject({ status: 'cancelled' });
});

test('a gateway that shuts down stops asking for costs, and charges the estimate', async () => {
  const { askAndDisconnect, asked, gateway } = await open(() => {}, { withinMs: 20_000 });
  await askAndDisconnect();
  await expect.poll(() => asked.length).toBe(1);
  await gateway.drain(600_000);
  const { sums } = await gateway.operator.checkLedger();
  expect(sums).toMatchObject({ running: 0, held_usd: '0', requests: 1 });
  expect(parseUsd(sums.used_usd)).toBeGreaterThan(0n);
});

test('a gateway that shuts down does not wait until the provider would be asked again', async () => {
  let drain = () => {};
  const running = {
    draining: false,
    whenDraining(listener: () => void) {
      drain = listener;
      return () => {};
    },
  };
  const costs = createProviderCosts({ withinMs: 20, running, log: () => {} });
  const asking = Promise.withResolvers<void>();
  const hanging = () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    asking.resolve();
    return new Promise<null>(() => {});
  };
  onTestFinished(() => void vi.useRealTimers());
  const bill = costs.learn('req_1', hanging);
  await asking.promise;
  drain();
  expect(await bill).toBeNull();
});

test('a hundred costs are asked for at once, and further answers are charged by the estimate', async () => {
  const most = 100;
  const { askAndDisconnect, asked, records, gateway } = await open(() => {}, { withinMs: 120_000, plan: 'enterprise' });
  for (let left = 0; left < most; left += 20) await Promise.all(Array.from({ length: 20 }, () => askAndDisconnect()));
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(most);
  expect(new Set(asked.map(({ id }) => id)).size).toBe(most);
  await askAndDisconnect();
  await expect
    .poll(async () => (await records()).filter(({ status }) => status !== 'running'))
    .toEqual([expect.objectContaining({ status: 'cancelled', estimated: true })]);
  expect(asked).toHaveLength(most);
  await gateway.drain(60_000);
  const { sums } = await gateway.operator.checkLedger();
  expect(sums).toMatchObject({ running: 0, held_usd: '0', requests: most + 1 });
}, 120_000);

/** A server whose streams have ids and no usage. `report` answers when it is asked for their cost afterwards. */
async function openUncounted(report: Report, { balance = '10', words = answer, withinMs = 2_000 } = {}) {
  const asked: string[] = [];
  const upstream = await openUpstream((call, response) => {
    const { pathname, searchParams } = new URL(call.path, 'http://upstream');
    if (pathname !== '/v1/generation') {
      const chunk = (choice: object) =>
        `data: ${JSON.stringify({ id: 'gen-1', choices: [{ index: 0, ...choice }] })}\n\n`;
      const deltas = (words.match(/.{1,2000}/g) ?? []).map((content) => chunk({ delta: { content } }));
      return streamReply([...deltas, chunk({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n'].join(''))(
        call,
        response,
      );
    }
    asked.push(searchParams.get('id') ?? '');
    report(asked.length, asked.at(-1) ?? '', response);
  });
  onTestFinished(upstream.close);
  const opened = await openTestGateway({
    balance,
    timeouts: { providerCostMs: withinMs },
    providers: {
      openrouter: {
        apiKey: new Secret('sk-first'),
        baseUrl: `${upstream.origin}/v1`,
        models: [{ model: 'acme/large', sameAs: null, price }],
      },
    },
  });
  const options = { stream_options: { include_usage: true } };
  const ask = async (stream: boolean) =>
    (
      await opened.post('/v1/chat/completions', {
        model: 'openrouter/acme/large',
        stream,
        messages,
        ...(stream ? options : {}),
      })
    ).text();
  const record = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data[0];
  return { ask, record, asked, checkLedger: opened.gateway.operator.checkLedger };
}

test.each([true, false])(
  'a complete answer without usage costs what its provider reports afterwards (streamed: %s)',
  async (stream) => {
    const { ask, record, asked } = await openUncounted((time, id, response) =>
      time < 2 ? notYet(response) : json(response, 200, generation(id)),
    );
    const text = await ask(stream);
    expect(text).toContain('"completion_tokens":9');
    expect(await record()).toMatchObject(Object.assign({}, reportedRecord, { status: 'succeeded' }));
    expect(asked).toEqual(['gen-1', 'gen-1']);
  },
);

test('a complete answer without usage is charged by the estimate when its provider reports nothing afterwards', async () => {
  const { ask, record, asked } = await openUncounted((_time, _id, response) => notYet(response), { withinMs: 200 });
  expect(await ask(true)).toContain('[DONE]');
  expect(await record()).toMatchObject({ status: 'succeeded', estimated: true });
  expect(asked.length).toBeGreaterThan(0);
});

test('an answer that was cut because the credit ended costs what its provider reports afterwards', async () => {
  const options = { balance: '0.009', words: answer.repeat(60) };
  const { ask, record, asked, checkLedger } = await openUncounted(
    (_time, id, response) =>
      json(response, 200, generation(id, { total_cost: 0.0085, native_tokens_completion: 4200 })),
    options,
  );
  const text = await ask(true);
  expect(text).toContain('stopped_by_credit');
  expect(text).toContain('"finish_reason":"length"');
  expect(await record()).toMatchObject({
    status: 'succeeded',
    cost_usd: '0.0085',
    estimated: false,
    completion_tokens: 4200,
  });
  expect(asked).toEqual(['gen-1']);
  expect((await checkLedger()).ok).toBe(true);
});

test('no cost is asked for when an answer is complete and counted', async () => {
  const { ask, ended, asked } = await open((_time, id, response) => json(response, 200, generation(id)));
  expect(await (await ask().response).text()).toContain('[DONE]');
  expect(await ended()).toMatchObject({ status: 'succeeded' });
  expect(asked).toEqual([]);
});

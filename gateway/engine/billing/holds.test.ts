import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { errorReply, openUpstream, type UpstreamCallSeen } from '../../../tests/gateway-doubles/upstream-server.ts';
import { figure } from '../../../tests/support/figures.ts';
import { Secret } from '../../access/auth/secret.ts';

/** The hold of a request covers everything that its upstream was allowed to do, so no balance and no limit is ever exceeded. */

interface Usage {
  readonly input: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly cached?: number;
}

type Use = (call: UpstreamCallSeen, limit: number | null) => Usage | Promise<Usage>;

const getLimit = ({ body }: UpstreamCallSeen): number | null =>
  (body.max_output_tokens ?? body.max_completion_tokens ?? body.max_tokens ?? null) as number | null;

/** OpenAI as it documents itself: it never gives more output than the limit that it was sent, and reports that it was cut. */
const openAi = (use: Use) => async (call: UpstreamCallSeen, response: ServerResponse) => {
  const limit = getLimit(call);
  const { input, output, reasoning = 0, cached = 0 } = await use(call, limit);
  const given = Math.min(output, limit ?? output);
  const isCut = given < output;
  if (call.path.endsWith('/responses')) {
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: given,
      output_tokens_details: { reasoning_tokens: Math.min(reasoning, given) },
      total_tokens: input + given,
    };
    const answer = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      model: call.body.model,
      error: null,
      output: [
        {
          id: 'm',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Four.', annotations: [], logprobs: [] }],
        },
      ],
      usage,
    };
    if (call.body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (type: string, fields: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    send('response.created', { response: { ...answer, status: 'in_progress', output: [], usage: null } });
    send('response.output_item.added', {
      output_index: 0,
      item: { id: 'm', type: 'message', role: 'assistant', content: [] },
    });
    send('response.output_text.delta', { item_id: 'm', output_index: 0, content_index: 0, delta: 'Four.' });
    send(isCut ? 'response.incomplete' : 'response.completed', { response: answer });
    response.end();
    return;
  }
  const usage = {
    prompt_tokens: input,
    completion_tokens: given,
    total_tokens: input + given,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: Math.min(reasoning, given) },
  };
  const reason = isCut ? 'length' : 'stop';
  if (call.body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const message = { role: 'assistant', content: 'Four.' };
    response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: reason }], usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk: object) => response.write(`data: ${JSON.stringify({ id: 'c', ...chunk })}\n\n`);
  send({ choices: [{ index: 0, delta: { content: 'Four.' }, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
};

async function open(use: Use, options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(openAi(use));
  onTestFinished(upstream.close);
  const opened = await openTestGateway({
    providers: { openai: { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` } },
    ...options,
  });
  const ask = async (body: object, key?: string) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await opened.post('/v1/chat/completions', body, { headers });
    return { status: response.status, text: await response.text() };
  };
  const records = async () => requestList.parse(await (await opened.call('/v1/requests?limit=100')).json()).data;
  const charged = async () => (await records()).reduce((sum, record) => sum + parseUsd(record.cost_usd), 0n);
  const balance = async () => (await opened.gateway.operator.listAccounts())[0]?.balance ?? 0n;
  const sound = async () => {
    const { checks, sums } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sums).toMatchObject({ running: 0, held_usd: '0' });
  };
  return { ...opened, upstream, ask, records, charged, balance, sound };
}

const messages = [{ role: 'user', content: 'What is 2 + 2?' }];
const thinking = { model: 'openai/gpt-5.6-sol', reasoning_effort: 'xhigh', messages };
const thinksLong: Use = () => ({ input: 20, output: 100_120, reasoning: 100_000 });
const limitsSent = (calls: readonly UpstreamCallSeen[]) => calls.map(getLimit);

describe('a model that thinks without a limit', () => {
  test.each([true, false])(
    'is never charged more than the balance of one dollar when twelve requests ask at once (streamed: %s)',
    async (stream) => {
      const { ask, balance, charged, sound, upstream, records } = await open(thinksLong, { balance: '1' });
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask({ ...thinking, stream })));
      const answered = answers.filter(({ status }) => status === 200);
      expect(answered.length).toBeGreaterThanOrEqual(4);
      expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
      for (const { text } of answered) expect(text).toMatch(/stopped_by_credit/);
      expect(limitsSent(upstream.calls).every((limit) => limit !== null && limit >= 4_096)).toBe(true);
      expect(await charged()).toBeLessThanOrEqual(parseUsd('1'));
      expect(await balance()).toBeGreaterThanOrEqual(0n);
      expect((await records()).some(({ estimated }) => estimated)).toBe(false);
      await sound();
    },
  );

  test('is given no limit when the balance is ample, and the hold covers its longest answer', async () => {
    const { ask, balance, upstream } = await open(thinksLong, { balance: '20' });
    const { status, text } = await ask({ ...thinking, stream: true });
    expect([status, text.includes('stopped_by_credit')]).toEqual([200, false]);
    expect(limitsSent(upstream.calls)).toEqual([null]);
    expect(await balance()).toBeLessThan(parseUsd('18'));
  });

  test('is given half of the balance when it runs alone, and a warning names what ended it', async () => {
    const { ask, upstream } = await open(thinksLong, { balance: '1' });
    const answer = JSON.parse((await ask(thinking)).text) as {
      choices: { finish_reason: string }[];
      warnings: { code: string }[];
    };
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.warnings.map(({ code }) => code)).toContain('stopped_by_credit');
    // $0.5 at $20 a million.
    expect(limitsSent(upstream.calls)[0]).toBeGreaterThan(24_500);
    expect(limitsSent(upstream.calls)[0]).toBeLessThanOrEqual(25_000);
  });

  test.each([
    [
      'its key',
      async (opened: Awaited<ReturnType<typeof open>>) => {
        const { gateway, account } = opened;
        return (
          await gateway.operator.createKey({ accountId: account.id, label: 'limited', spendLimit: parseUsd('1') })
        ).key;
      },
    ],
    [
      'the day',
      async ({ gateway, account, key }: Awaited<ReturnType<typeof open>>) => {
        await gateway.operator.limitAccount(account.id, { day: parseUsd('1') });
        return key;
      },
    ],
    [
      'the model',
      async ({ gateway, account, key }: Awaited<ReturnType<typeof open>>) => {
        await gateway.operator.limitAccount(account.id, { models: { 'openai/gpt-5.6-sol': parseUsd('1') } });
        return key;
      },
    ],
  ] as const)('stays within the limit of %s', async (_name, limited) => {
    const opened = await open(thinksLong, { balance: '100' });
    const key = await limited(opened);
    const answers = await Promise.all(Array.from({ length: 12 }, () => opened.ask({ ...thinking, stream: true }, key)));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await opened.charged()).toBeLessThanOrEqual(parseUsd('1'));
    expect(await opened.charged()).toBeGreaterThan(parseUsd('0.3'));
    await opened.sound();
  });
});

test.each([
  ['anthropic/claude-opus-4-7', (body: Record<string, unknown>) => body.max_tokens],
  [
    'google/gemini-2.5-pro',
    ({ generationConfig: config }: Record<string, unknown>) => (config as { maxOutputTokens?: number }).maxOutputTokens,
  ],
] as const)('%s is sent the limit that the hold covers, in the field of its own API', async (model, sent) => {
  const upstream = await openUpstream(errorReply(400, { error: { message: 'no' } }));
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: upstream.origin };
  const { post } = await openTestGateway({ balance: '0.4', providers: { anthropic: credential, google: credential } });
  await post('/v1/chat/completions', { model, messages, reasoning_effort: 'high', stream: true });
  const limit = sent(upstream.calls[0]?.body ?? {});
  expect(limit).toBeGreaterThanOrEqual(4_096);
  // $0.2 at $10 a million, the cheaper of the two.
  expect(limit).toBeLessThanOrEqual(20_000);
});

test('thirty ordinary requests at once all fit into $20, however long the model could have answered', async () => {
  const { ask } = await open(() => ({ input: 20, output: 300 }), { balance: '20' });
  const body = { model: 'openai/gpt-5.4', messages, stream: true };
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

describe('input', () => {
  const dense = '\u{13000}'.repeat(6_250);
  const tokenForEachByte: Use = () => ({ input: 25_000 + 8, output: 1 });

  test('of one token for each byte never exceeds the balance, however many requests run at once', async () => {
    const { ask, balance, charged, sound } = await open(tokenForEachByte, { balance: '1' });
    const body = { model: 'openai/gpt-5.6-sol', messages: [{ role: 'user', content: dense }], max_tokens: 16 };
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask({ ...body, stream: true })));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(await charged()).toBeLessThanOrEqual(parseUsd('1'));
    expect(await balance()).toBeGreaterThanOrEqual(0n);
    await sound();
  });

  test('that costs more than was held is charged as far as the balance covers it, with a warning', async () => {
    const { ask, balance, records, sound } = await open(() => ({ input: 12_000, output: 16 }), { balance: '0.02' });
    const { text } = await ask({ ...thinking, max_tokens: 16 });
    expect(text).toContain('usage_clamped');
    expect((await records())[0]).toMatchObject({ estimated: true, status: 'succeeded' });
    expect(await balance()).toBeGreaterThanOrEqual(0n);
    await sound();
  });

  test('that costs more than was held is charged completely when the balance covers it', async () => {
    const { ask, records, sound } = await open(() => ({ input: 12_000, output: 16 }), { balance: '10' });
    await ask({ ...thinking, max_tokens: 16 });
    expect((await records())[0]).toMatchObject({ estimated: false, prompt_tokens: 12_000 });
    await sound();
  });
});

test('an upstream that reports more output than it was allowed is believed no more than that', async () => {
  const { ask, records, balance, upstream } = await open(thinksLong, { balance: '1' });
  upstream.replyWith((call, response) =>
    openAi(() => ({ input: 20, output: 90_000 }))(
      { ...call, body: { ...call.body, max_output_tokens: null } },
      response,
    ),
  );
  const { text } = await ask({ ...thinking, stream: true });
  expect(text).toContain('usage_clamped');
  const [record] = await records();
  expect(record?.completion_tokens).toBe(limitsSent(upstream.calls)[0]);
  expect(record?.estimated).toBe(true);
  expect(await balance()).toBeGreaterThanOrEqual(0n);
});

test('`max_cost_usd` limits the answer, and no charge passes it', async () => {
  const { ask, records, upstream } = await open(thinksLong, { balance: '50' });
  const { text } = await ask({ ...thinking, route: { max_cost_usd: '0.2' } });
  expect(text).toContain('stopped_by_credit');
  expect(limitsSent(upstream.calls)[0]).toBeLessThanOrEqual(10_000);
  expect(parseUsd((await records())[0]?.cost_usd ?? '9')).toBeLessThanOrEqual(parseUsd('0.2'));
});

test('`max_cost_usd` applies when the upstream counts more input than the request shows', async () => {
  const { ask, records, sound } = await open(() => ({ input: 12_000, output: 16 }), { balance: '10' });
  const { text } = await ask({ ...thinking, max_tokens: 16, route: { max_cost_usd: '0.01' } });
  expect(text).toContain('usage_clamped');
  expect(parseUsd((await records())[0]?.cost_usd ?? '9')).toBeLessThanOrEqual(parseUsd('0.01'));
  await sound();
});

const longest = {
  'openai/gpt-5.6-sol': 128_000,
  'openai/gpt-5.4': 128_000,
  'openai/gpt-4.1-mini': 32_768,
  'openai/gpt-4o-mini': 16_384,
} as const;

test('no random usage within the upstream’s limits is charged more than was held', async () => {
  let next: (limit: number | null) => Usage | Promise<Usage> = () => ({ input: 1, output: 1 });
  let [held, answered] = [0n, 0];
  const opened = await open((_call, limit) => next(limit), { balance: '1000' });
  const { gateway, ask, records, account, sound } = opened;
  const text = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constantFrom('\u{13000}'.repeat(500), 'a'.repeat(2_000), '漢字'.repeat(300)),
  );
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const asked = fc.record({
    model: fc.constantFrom(...(Object.keys(longest) as (keyof typeof longest)[])),
    text: text.filter((value) => value.trim() !== ''),
    maxTokens: fc.option(fc.integer({ min: 16, max: 16_000 }), { nil: undefined }),
    stream: fc.boolean(),
    cents: fc.integer({ min: 1, max: 400 }),
    share: fc.tuple(fraction, fraction, fraction, fraction),
  });
  await fc.assert(
    fc.asyncProperty(
      asked,
      async ({ model, text, maxTokens, stream, cents, share: [input, output, cached, thought] }) => {
        opened.pass(1_000);
        const { key } = await gateway.operator.createKey({
          accountId: account.id,
          label: 'one',
          spendLimit: parseUsd(String(cents / 100)),
        });
        next = async (limit) => {
          held = (await gateway.operator.listAccounts())[0]?.held ?? 0n;
          const most = Math.floor(output * (limit ?? longest[model]));
          const read = Math.max(1, Math.floor(input * (Buffer.byteLength(text) + 8)));
          const inCache = Math.floor(cached * read);
          return { input: read, output: most, reasoning: Math.floor(thought * most), cached: inCache };
        };
        const before = (await records())[0]?.id;
        const body = {
          model,
          messages: [{ role: 'user', content: text }],
          stream,
          ...(maxTokens ? { max_tokens: maxTokens } : {}),
        };
        const { status } = await ask(body, key);
        expect([200, 402]).toContain(status);
        const [record] = await records();
        if (status !== 200 || !record || record.id === before) return;
        const cost = parseUsd(record.cost_usd);
        answered += 1;
        expect(record.estimated).toBe(false);
        expect(cost).toBeLessThanOrEqual(held);
        expect(held).toBeLessThanOrEqual(parseUsd(String(cents / 100)));
      },
    ),
    { numRuns: 60 },
  );
  expect(answered).toBeGreaterThan(20);
  await sound();
  figure(
    'charge within the hold',
    `${answered} answers with random usage within their limits: none charged beyond its hold`,
  );
});

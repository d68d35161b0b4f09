import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { account } from '#shared/wire/account.ts';
import { credits } from '#shared/wire/credits.ts';
import { type RequestRecord, requestList } from '#shared/wire/request-record.ts';
import { usage } from '#shared/wire/usage.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { byProvider } from '../../tests/gateway-doubles/three-providers.ts';
import {
  brokenReply,
  errorReply,
  hangingReply,
  openUpstream,
  type Reply,
  streamReply,
  type Upstream,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { listen } from '../http/listen.ts';

/** The billing table of wire contract §1.4.7, row by row, over real sockets: ledger, usage, request record and upstream. */

const model = 'anthropic/claude-haiku-4-5';
/** The recorded answer has 10 input tokens, 8 read from and 2 written to the cache, at $1, $0.10 and $1.25 a million. */
const inputCost = 10n * 1_000n + 8n * 100n + 2n * 1_250n;
const outputCost = 5_000n;
const completeCost = inputCost + 11n * outputCost;
const complete = recordedStreams.anthropic.join('');
const begun = recordedStreams.anthropic.slice(0, 8).join('');
const endedWith = (reason: string) => complete.replace(/"stop_reason":"tool_use"/, `"stop_reason":"${reason}"`);

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream(streamReply(complete));
});
afterEach(() => upstream.close());

async function openServed(options: TestGatewayOptions = {}) {
  const apiKey = new Secret('platform-key');
  let arrived = () => {};
  const byteArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const opened = await openTestGateway({
    providers: {
      anthropic: { apiKey, baseUrl: upstream.origin },
      openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
    },
    fetch: notifying(() => arrived()),
    ...options,
    timeouts: { readOnMs: 50, ...options.timeouts },
  });
  const server = await listen(opened.gateway, { port: 0 });
  const read = async (path: string) => (await opened.call(path)).json();
  return {
    ...opened,
    /** Resolves when the gateway has read a first piece of the provider's answer. */
    byteArrived,
    close: server.close,
    ask: (body: object, signal?: AbortSignal) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${opened.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...body }),
        ...(signal ? { signal } : {}),
      }),
    requests: async () => requestList.parse(await read('/v1/requests')).data,
    async gatewayDb() {
      const bill = credits.parse(await read('/v1/credits'));
      const { totals } = usage.parse(await read('/v1/usage'));
      const { balance } = account.parse(await read('/account'));
      const { checks } = await opened.gateway.operator.checkLedger();
      const lines = bill.transactions.data.filter(({ type }) => type !== 'grant');
      return { lines, totals, balance, problems: checks.flatMap(({ problems }) => problems) };
    },
  };
}

type Served = Awaited<ReturnType<typeof openServed>>;

/** A `fetch` that calls `arrived` when the gateway has read a piece of an answer. */
const notifying =
  (arrived: () => void): typeof fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        setImmediate(arrived);
      },
    });
    return new Response(response.body?.pipeThrough(watch) ?? null, response);
  };

/** Waits until the only request has ended, and returns it. */
async function endedRequest(served: Served): Promise<RequestRecord> {
  await expect.poll(async () => (await served.requests()).map(({ status }) => status)).not.toContain('running');
  const [only, ...others] = await served.requests();
  if (!only || others.length > 0) throw new Error(`${others.length + (only ? 1 : 0)} requests are in the ledger`);
  return only;
}

/** Expects that record, ledger entry, usage row and balance agree: the request ended like `end`, and `charge` was charged for it. */
async function expectBooked(
  served: Served,
  end: Partial<RequestRecord> & Pick<RequestRecord, 'status'>,
  charge: bigint,
) {
  const record = await endedRequest(served);
  expect(record).toMatchObject(end);
  expect(parseUsd(record.cost_usd)).toBe(charge);
  const { lines, totals, balance, problems } = await served.gatewayDb();
  expect(problems).toEqual([]);
  const kind = record.byok ? 'byok_fee' : 'usage';
  expect(lines.map(({ type, request_id: id, amount, estimated }) => [type, id, parseUsd(amount), estimated])).toEqual(
    charge > 0n ? [[kind, record.id, -charge, record.estimated]] : [],
  );
  expect(totals).toMatchObject({
    requests: 1,
    succeeded: end.status === 'succeeded' ? 1 : 0,
    failed: end.status === 'failed' ? 1 : 0,
    cancelled: end.status === 'cancelled' ? 1 : 0,
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    cost_usd: record.cost_usd,
  });
  expect(balance).toMatchObject({ held: '0', total_used: record.cost_usd });
  return record;
}

/** Disconnects the client, and resolves when the gateway has closed the upstream connection. Nothing else would close it. */
async function disconnect(answer: Promise<Response>, abort: AbortController, when: Promise<unknown>) {
  const broken = answer.then((response) => response.text()).catch((error: Error) => error.name);
  await when;
  const [call] = upstream.calls;
  abort.abort();
  expect(await broken).toBe('AbortError');
  await call?.closed;
}

const upstreamCalled = () => expect.poll(() => upstream.calls.length).toBe(1);

describe.each([
  { form: 'streaming', stream: true },
  { form: 'not streaming', stream: false },
])('the billing table, $form', ({ stream }) => {
  let served: Served;
  const serve = async (reply: Reply, options: TestGatewayOptions = {}) => {
    upstream.replyWith(reply);
    served = await openServed(options);
  };
  afterEach(() => served.close());
  const asked = async (body: object = {}) => (await served.ask({ stream, ...body })).text();

  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['tool_use', 'tool_calls'],
  ])('an answer that finished with %s costs the reported usage times the price', async (stopReason, reason) => {
    await serve(streamReply(endedWith(stopReason)));
    expect(await asked()).toContain(`"finish_reason":"${reason}"`);
    const record = await expectBooked(
      served,
      { status: 'succeeded', error_code: null, estimated: false },
      completeCost,
    );
    expect(record).toMatchObject({ prompt_tokens: 20, cached_tokens: 8, completion_tokens: 11 });
    expect(record.upstream_cost_usd).toBe(record.cost_usd);
  });

  test('a client that disconnects after the first upstream byte pays for the usage reported so far, completed by an estimate', async () => {
    await serve(hangingReply(begun));
    const abort = new AbortController();
    await disconnect(served.ask({ stream }, abort.signal), abort, served.byteArrived);
    const record = await endedRequest(served);
    expect(record).toMatchObject({ prompt_tokens: 20, cached_tokens: 8, estimated: true });
    expect(record.completion_tokens).toBeGreaterThan(1);
    const charge = inputCost + BigInt(record.completion_tokens) * outputCost;
    await expectBooked(served, { status: 'cancelled', error_code: 'client_closed_request' }, charge);
  });

  test('a client that disconnects before any usage was reported pays for an estimate of input and output', async () => {
    await serve(hangingReply(recordedStreams.openai.slice(0, 2).join('')));
    const abort = new AbortController();
    await disconnect(served.ask({ stream, model: 'openai/gpt-4o-mini' }, abort.signal), abort, served.byteArrived);
    const { cost_usd: charge } = await endedRequest(served);
    expect(parseUsd(charge)).toBeGreaterThan(0n);
    await expectBooked(served, { status: 'cancelled', estimated: true }, parseUsd(charge));
  });

  test('a client that disconnects before the first upstream byte pays nothing', async () => {
    await serve(() => {});
    const abort = new AbortController();
    await disconnect(served.ask({ stream }, abort.signal), abort, upstreamCalled());
    const end = { status: 'cancelled', error_code: 'client_closed_request', upstream_cost_usd: '0' } as const;
    await expectBooked(served, { ...end, prompt_tokens: 0, completion_tokens: 0 }, 0n);
  });

  test('an upstream error before the first token costs nothing', async () => {
    await serve(errorReply(500, {}));
    expect(await asked()).toContain('"code":"upstream_error"');
    await expectBooked(served, { status: 'failed', error_code: 'upstream_error', upstream_cost_usd: '0' }, 0n);
  });

  test('an upstream error after the first token costs what was delivered, and nothing when the answer is non-streaming', async () => {
    await serve(brokenReply(begun));
    expect(await asked()).toContain('"code":"upstream_truncated"');
    const { completion_tokens: written, upstream_cost_usd: upstreamCost } = await endedRequest(served);
    const produced = inputCost + BigInt(written) * outputCost;
    expect(parseUsd(upstreamCost ?? '')).toBe(produced);
    await expectBooked(served, { status: 'failed', error_code: 'upstream_truncated' }, stream ? produced : 0n);
  });

  test('an answer that exceeds the gateway’s time limit costs what was produced, and the upstream is aborted', async () => {
    await serve(hangingReply(begun), { timeouts: { totalMs: 4_000 } });
    expect(await asked()).toContain('"code":"upstream_timeout"');
    await upstream.calls[0]?.closed;
    const { completion_tokens: written } = await endedRequest(served);
    const produced = inputCost + BigInt(written) * outputCost;
    await expectBooked(served, { status: 'failed', error_code: 'upstream_timeout', estimated: true }, produced);
  });

  test('an answer that a shutdown ends costs what was delivered, or nothing when it is non-streaming, and the upstream is aborted', async () => {
    await serve(hangingReply(begun));
    const answer = asked();
    await served.byteArrived;
    const drained = served.gateway.drain(0);
    expect(await answer).toContain('"code":"shutting_down"');
    await drained;
    await upstream.calls[0]?.closed;
    const { checks, sums } = await served.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sums).toMatchObject({ requests: 1, running: 0, held_usd: '0' });
    expect(parseUsd(String(sums.used_usd)) > 0n).toBe(stream);
  });

  test.each([
    ['a fault in the request', 400, { temperature: 9 }, '10'],
    ['an unknown model', 404, { model: 'anthropic/nobody' }, '10'],
    ['out of credit', 402, { max_tokens: 1_000 }, '0.000001'],
  ])(
    'a request that is refused before dispatch (%s, %i) costs nothing, has no ledger entry and calls no upstream',
    async (_why, status, body, balance) => {
      await serve(streamReply(complete), { balance });
      const response = await served.ask({ stream, ...body });
      expect(response.status).toBe(status);
      await response.text();
      expect(await served.requests()).toEqual([]);
      const { lines, totals, balance: left, problems } = await served.gatewayDb();
      expect({ lines, problems }).toEqual({ lines: [], problems: [] });
      expect(totals).toMatchObject({ requests: 0, cost_usd: '0' });
      expect(left).toMatchObject({ amount: balance, held: '0' });
      expect(upstream.calls).toEqual([]);
    },
  );

  test('with the caller’s own key an answer costs nothing, even without a balance, and the record has the provider’s cost', async () => {
    await serve(streamReply(complete), { balance: '0' });
    expect(await asked({ byoapi_key: 'own-key-of-caller' })).toContain('"byok":true');
    expect(upstream.calls[0]?.headers['x-api-key']).toBe('own-key-of-caller');
    const record = await expectBooked(served, { status: 'succeeded', byok: true }, 0n);
    expect(parseUsd(record.upstream_cost_usd ?? '')).toBe(completeCost);
  });

  test('with the caller’s own key a client that disconnects pays nothing, and the upstream is aborted', async () => {
    await serve(hangingReply(begun), { balance: '0' });
    const abort = new AbortController();
    await disconnect(served.ask({ stream, byoapi_key: 'own-key-of-caller' }, abort.signal), abort, served.byteArrived);
    await expectBooked(served, { status: 'cancelled', byok: true }, 0n);
  });

  describe('the caller’s own key with an operator’s fee of 2.5 %', () => {
    const fee = { byokFeeBps: 250, balance: '1' };
    /** The fee of 2.5 % is a fortieth, rounded up. */
    const getFee = (cost: bigint) => (cost + 39n) / 40n;
    const own = { byoapi_key: 'own-key-of-caller' };

    test('a finished answer costs the fee, its ledger entry is a fee, and the record has the provider’s cost', async () => {
      await serve(streamReply(complete), fee);
      expect(await asked(own)).toContain('"byok":true');
      const end = { status: 'succeeded', byok: true, byok_fee_bps: 250 } as const;
      const record = await expectBooked(served, end, getFee(completeCost));
      expect(parseUsd(record.upstream_cost_usd ?? '')).toBe(completeCost);
      expect((await served.gatewayDb()).totals).toMatchObject({ byok_requests: 1, cost_usd: record.cost_usd });
    });

    test('a client that disconnects after the first upstream byte pays the fee on what was produced', async () => {
      await serve(hangingReply(begun), fee);
      const abort = new AbortController();
      await disconnect(served.ask({ stream, ...own }, abort.signal), abort, served.byteArrived);
      const { completion_tokens: delivered } = await endedRequest(served);
      const charge = getFee(inputCost + BigInt(delivered) * outputCost);
      await expectBooked(served, { status: 'cancelled', byok: true, estimated: true }, charge);
    });

    test('a client that disconnects before the first upstream byte pays nothing', async () => {
      await serve(() => {}, fee);
      const abort = new AbortController();
      await disconnect(served.ask({ stream, ...own }, abort.signal), abort, upstreamCalled());
      await expectBooked(served, { status: 'cancelled', byok: true, upstream_cost_usd: '0' }, 0n);
    });

    test('an upstream error after the first token costs the fee on what was delivered', async () => {
      await serve(brokenReply(begun), fee);
      await asked(own);
      const { completion_tokens: written } = await endedRequest(served);
      const charge = stream ? getFee(inputCost + BigInt(written) * outputCost) : 0n;
      await expectBooked(served, { status: 'failed', error_code: 'upstream_truncated', byok: true }, charge);
    });

    test('the fee is a share of the catalogue’s cost when the upstream reports its own cost', async () => {
      const named = { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000, cost: 9 };
      const answer = recordedStreams.openai.join('').replace(/"usage":\{.*\}\}/, `"usage":${JSON.stringify(named)}}`);
      await serve(streamReply(answer), fee);
      await asked({ ...own, model: 'openai/gpt-4o-mini' });
      // $0.15 and $0.60 a million.
      const end = { status: 'succeeded', upstream_cost_usd: '9', prompt_tokens: 1_000 } as const;
      await expectBooked(served, end, getFee(1_000n * 150n + 1_000n * 600n));
    });

    test('a balance that does not cover the highest fee is refused, and no upstream is called', async () => {
      await serve(streamReply(complete), { ...fee, balance: '0.0001' });
      const body = { stream, ...own, max_tokens: 1_000 };
      const refused = await served.ask(body);
      expect(refused.status).toBe(402);
      const { error } = (await refused.json()) as { error: { code: string; details: Record<string, unknown> } };
      expect(error.code).toBe('insufficient_credits');
      // 1,000 tokens at a fortieth of $5 a million are $0.000125; "hello" is six tokens at most.
      expect(error.details).toMatchObject({ available_usd: '0.0001', affordable_max_tokens: expect.any(Number) });
      expect(upstream.calls).toEqual([]);
      const affordable = Number(error.details.affordable_max_tokens);
      expect(affordable).toBeGreaterThan(790);
      expect((await served.ask({ ...body, max_tokens: affordable + 1 })).status).toBe(402);
      expect((await served.ask({ ...body, max_tokens: affordable })).status).toBe(200);
    });
  });

  test('an answer that runs out of credit costs what was delivered, ends with "length", and the upstream is aborted', async () => {
    const long = { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'x'.repeat(4_000) } };
    const more = `event: content_block_delta\ndata: ${JSON.stringify(long)}\n\n`;
    await serve(hangingReply(begun + more.repeat(10)), { balance: '0.021' });
    const text = await asked();
    expect(text).toContain('"finish_reason":"length"');
    expect(text).toContain('stopped_by_credit');
    await upstream.calls[0]?.closed;
    const { completion_tokens: delivered } = await endedRequest(served);
    expect(delivered).toBeGreaterThan(4_000);
    await expectBooked(served, { status: 'succeeded', estimated: true }, inputCost + BigInt(delivered) * outputCost);
  });

  test('after a fallback only the answer is charged, and the failed attempt’s cost is recorded for the operator', async () => {
    const opening = recordedStreams.openai[0] ?? '';
    await serve(byProvider({ openai: brokenReply(opening), anthropic: streamReply(complete) }));
    const only = ['openai/gpt-4o-mini', model];
    await asked({ model: 'router', route: { policy: 'cheapest', only } });
    expect(upstream.calls.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/messages']);
    const record = await expectBooked(served, { status: 'succeeded', model: 'claude-haiku-4-5' }, completeCost);
    expect(record.routing?.attempts).toMatchObject([{ code: 'upstream_truncated' }, { status: 'ok' }]);
    expect(parseUsd(record.upstream_cost_usd ?? '')).toBeGreaterThan(completeCost);
  });
});

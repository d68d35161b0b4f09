import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import { listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { testNow } from '../gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { testDatabase, testPepper } from '../gateway-doubles/test-database.ts';
import { hangingReply, openUpstream, streamReply } from '../gateway-doubles/upstream-server.ts';

interface Setting {
  readonly plan?: string;
  readonly balance?: string;
  readonly key?: { readonly scopes?: readonly ('chat' | 'models' | 'account')[]; readonly spendLimit?: string };
}

/**
 * Opens the official client, unchanged, against a gateway on a port. Requests on both sides of the gateway are counted.
 */
async function open({ plan = 'pro', balance = '5', key = {} }: Setting = {}) {
  const upstream = await openUpstream(streamReply(recordedStreams.openai.join('')));
  // The clock starts at noon, so that a used-up day doesn't end during the test.
  let ahead = testNow - Date.now();
  let stopped: number | null = null;
  const gateway = await openGateway({
    database: await testDatabase(),
    env: { PORTICO_KEY_PEPPER: testPepper },
    now: () => (stopped ?? Date.now()) + ahead,
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } },
  });
  const { id } = await gateway.operator.createAccount({ name: 'A', plan });
  if (balance !== '0') await gateway.operator.grant({ accountId: id, amount: parseUsd(balance) });
  const made = await gateway.operator.createKey({
    accountId: id,
    ...(key.scopes ? { scopes: key.scopes } : {}),
    ...(key.spendLimit === undefined ? {} : { spendLimit: parseUsd(key.spendLimit) }),
  });
  const listening = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await listening.close();
    await gateway.close();
    await upstream.close();
  });
  let calls = 0;
  const client = new OpenAI({
    apiKey: made.key,
    baseURL: `${listening.url}/v1`,
    fetch: (input, init) => {
      calls += 1;
      return fetch(input, init);
    },
  });
  const ask = (
    body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
    options: OpenAI.RequestOptions = {},
  ) =>
    client.chat.completions.create(
      { model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'hello' }], ...body },
      options,
    );
  const skip = (ms: number) => {
    ahead += ms;
  };
  /** Stops the gateway's clock until it's called again, so that the duration of the test doesn't matter. */
  const holdClock = (held: boolean) => {
    if (!held && stopped !== null) ahead -= Date.now() - stopped;
    stopped = held ? Date.now() : null;
  };
  const counted = async (work: Promise<unknown>) => {
    const [before, upstreamBefore] = [calls, upstream.calls.length];
    const error = await work.then(
      () => null,
      (thrown: InstanceType<typeof OpenAI.APIError>) => thrown,
    );
    return { error, calls: calls - before, upstreamCalls: upstream.calls.length - upstreamBefore };
  };
  return { client, ask, skip, holdClock, counted, upstream };
}

const withKey = (key: string): OpenAI.RequestOptions => ({ headers: { 'Idempotency-Key': key } });

describe('how often the official client sends a request, and how often that reaches the upstream', () => {
  test.each([
    ['402 insufficient_credits', { balance: '0' }, {}],
    ['402 key_spend_limit_exceeded', { key: { spendLimit: '0.000001' } }, {}],
    ['403 insufficient_scope', { key: { scopes: ['models'] } }, {}],
    [
      '403 plan_limit_exceeded',
      { plan: 'free', balance: '50' },
      { messages: [{ role: 'user', content: 'a '.repeat(80_000) }] },
    ],
  ] as const)('%s: once, without an upstream call', async (row, setting, body) => {
    const [status, code] = row.split(' ');
    const { ask, counted } = await open(setting);
    const { error, ...counts } = await counted(ask(body as object));
    expect(error).toMatchObject({ status: Number(status), code });
    expect(counts).toEqual({ calls: 1, upstreamCalls: 0 });
  });

  test('403 plan_limit_exceeded after the daily quota: once, and the answer contains when the day ends', async () => {
    const { ask, counted, skip } = await open({ plan: 'free' });
    for (let index = 0; index < 200; index += 1) {
      if (index % 20 === 0) skip(61_000);
      await ask();
    }
    skip(61_000);
    const { error, ...counts } = await counted(ask());
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(error).toMatchObject({ code: 'plan_limit_exceeded' });
    const { details } = (error?.error ?? {}) as { details?: { limit: string; resets_at: number } };
    expect(details?.limit).toBe('requests_per_day');
    expect((details?.resets_at ?? 1) % 86_400).toBe(0);
    expect(counts).toEqual({ calls: 1, upstreamCalls: 0 });
  });

  test('409: three times with a second between, without another upstream call', async () => {
    const { ask, counted, upstream } = await open();
    upstream.replyWith(hangingReply(''));
    const leave = new AbortController();
    const first = ask({}, { ...withKey('k1'), signal: leave.signal }).catch(() => null);
    await expect.poll(() => upstream.calls.length).toBe(1);
    const { error, ...counts } = await counted(ask({}, withKey('k1')));
    expect(error).toBeInstanceOf(OpenAI.ConflictError);
    expect(counts).toEqual({ calls: 3, upstreamCalls: 0 });
    leave.abort();
    await first;
  });

  test('422: once', async () => {
    const { ask, counted } = await open();
    await ask({}, withKey('k1'));
    const { error, ...counts } = await counted(ask({ temperature: 1 }, withKey('k1')));
    expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect(error).toMatchObject({ code: 'idempotency_key_reused' });
    expect(counts).toEqual({ calls: 1, upstreamCalls: 0 });
  });

  test('a replay equals the first answer and needs no upstream call', async () => {
    const { ask, counted } = await open();
    const first = await ask({}, withKey('k1'));
    const again = ask({}, withKey('k1'));
    expect(await counted(again)).toEqual({ error: null, calls: 1, upstreamCalls: 0 });
    expect({ ...(await again), _request_id: null }).toEqual({ ...first, _request_id: null });
  });

  test('429: again after the announced wait, with one upstream call', async () => {
    const { ask, counted, skip, holdClock } = await open({ plan: 'free' });
    holdClock(true);
    for (let index = 0; index < 20; index += 1) await ask();
    skip(57_000);
    holdClock(false);
    const { error, ...counts } = await counted(ask());
    expect(error).toBeNull();
    expect(counts).toEqual({ calls: 2, upstreamCalls: 1 });
  });

  test('429 for too many chats at once: three times, then RateLimitError', async () => {
    const { ask, counted, upstream } = await open({ plan: 'free' });
    upstream.replyWith(hangingReply(''));
    const leave = new AbortController();
    const running = Array.from({ length: 4 }, () => ask({}, { signal: leave.signal }).catch(() => null));
    await expect.poll(() => upstream.calls.length).toBe(4);
    const { error, ...counts } = await counted(ask());
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ code: 'concurrency_limit_exceeded' });
    expect(counts).toEqual({ calls: 3, upstreamCalls: 0 });
    leave.abort();
    await Promise.all(running);
  });
});

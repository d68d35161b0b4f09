import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { type RequestRecord, requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { completionEvent, httpChunk, openRawUpstream, streamHead } from '../../tests/gateway-doubles/raw-upstream.ts';
import { Secret } from '../access/auth/secret.ts';

/** Clients disconnect from answers before the usage has come, which comes last. */

const event = (type: string, fields: object) =>
  httpChunk(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
const response = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'gpt-5.6-sol',
  error: null,
  output: [],
  usage: null,
  ...more,
});
const responsesUsage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 60_010,
  output_tokens_details: { reasoning_tokens: 60_000 },
  total_tokens: 60_030,
};
const begun = streamHead + event('response.created', { response: response('in_progress') });
const words =
  event('response.output_item.added', { output_index: 0, item: { id: 'm', type: 'message', role: 'assistant' } }) +
  event('response.output_text.delta', { item_id: 'm', output_index: 0, content_index: 0, delta: 'END' });
const message = {
  id: 'm',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'END', annotations: [] }],
};
const completed = `${event('response.completed', {
  response: response('completed', { output: [message], usage: responsesUsage }),
})}0\r\n\r\n`;

const thinking = { model: 'openai/gpt-5.6-sol', reasoning_effort: 'xhigh', stream: true };
const plain = { model: 'openai/gpt-4.1-mini', stream: true };
const messages = [{ role: 'user', content: 'Think, then say END.' }];

async function open(sent: string, options: TestGatewayOptions & { onDisconnect?: 'abort' | 'drain' } = {}) {
  const { onDisconnect, ...rest } = options;
  const upstream = await openRawUpstream(sent);
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({
    balance: '1000',
    plan: 'enterprise',
    providers: { openai: { ...credential, ...(onDisconnect ? { onDisconnect } : {}) } },
    ...rest,
  });
  const records = async () => requestList.parse(await (await opened.call('/v1/requests?limit=100')).json()).data;
  const ended = async (): Promise<RequestRecord> => {
    await expect.poll(async () => (await records()).map(({ status }) => status)).not.toContain('running');
    const { checks, sums } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sums).toMatchObject({ running: 0, held_usd: '0' });
    const [last] = await records();
    if (!last) throw new Error('nothing was asked');
    return last;
  };
  /** Sends a request, and disconnects once `until` was read. */
  const askAndDisconnect = async (body: object, until: string) => {
    const reader = (await opened.post('/v1/chat/completions', { messages, ...body })).body?.getReader();
    for (let seen = ''; !seen.includes(until); ) seen += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
  };
  return { ...opened, upstream, records, ended, askAndDisconnect };
}

describe('an answer whose client disconnected', () => {
  test('is charged by the count that comes last, when its text was complete', async () => {
    const { upstream, askAndDisconnect, ended } = await open(begun + words);
    await askAndDisconnect(thinking, 'END');
    upstream.say(completed);
    expect(await ended()).toMatchObject({
      status: 'cancelled',
      error_code: 'client_closed_request',
      estimated: false,
      completion_tokens: 60_010,
      reasoning_tokens: 60_000,
      cost_usd: '1.20028',
    });
    expect(await ended()).not.toHaveProperty('cost_up_to_usd');
  });

  test('is charged by that count even when only thinking had begun', async () => {
    const { upstream, post, ended } = await open(begun);
    const abort = new AbortController();
    const answer = post('/v1/chat/completions', { messages, ...thinking }, { signal: abort.signal });
    await upstream.call();
    await expect.poll(() => upstream.calls.length).toBe(1);
    const response = await Promise.race([answer, new Promise<null>((resolve) => setTimeout(resolve, 300, null))]);
    if (response) await response.body?.cancel();
    else abort.abort();
    await answer.catch(() => {});
    upstream.say(words + completed);
    expect(await ended()).toMatchObject({ status: 'cancelled', estimated: false, reasoning_tokens: 60_000 });
  });

  test('keeps its hold until its count has come', async () => {
    const { upstream, askAndDisconnect, ended, call, records } = await open(begun + words);
    await askAndDisconnect(thinking, 'END');
    expect((await records()).map(({ status }) => status)).toEqual(['running']);
    const { balance } = await (await call('/account')).json();
    expect(parseUsd(balance.held)).toBeGreaterThan(0n);
    upstream.say(completed);
    await ended();
  });

  test('is ended when the time is up, and charged for the thinking that it was allowed', async () => {
    const { upstream, askAndDisconnect, ended } = await open(begun + words, { timeouts: { readOnMs: 50 } });
    await askAndDisconnect(thinking, 'END');
    const record = await ended();
    expect(record).toMatchObject({ status: 'cancelled', estimated: true, completion_tokens: 32_000 });
    // The cost of 128,000 tokens at $20 a million, and of the question.
    expect(parseUsd(record.cost_up_to_usd ?? '0')).toBeGreaterThanOrEqual(parseUsd('2.56'));
    expect(parseUsd(record.cost_up_to_usd ?? '0')).toBeLessThan(parseUsd('2.57'));
    await (await upstream.call()).closed;
  });

  test('is never charged more than its smaller hold when the balance is low', async () => {
    const options = { balance: '0.3', timeouts: { readOnMs: 50 } };
    const { askAndDisconnect, ended } = await open(begun + words, options);
    await askAndDisconnect(thinking, 'END');
    const record = await ended();
    expect(record.estimated).toBe(true);
    expect(parseUsd(record.cost_usd)).toBeLessThanOrEqual(parseUsd('0.15'));
    expect(parseUsd(record.cost_usd)).toBeGreaterThan(parseUsd('0.1'));
  });

  test('is aborted at once when the operator sets on_disconnect to abort', async () => {
    const { upstream, askAndDisconnect, ended } = await open(begun + words, { onDisconnect: 'abort' });
    await askAndDisconnect(thinking, 'END');
    await (await upstream.call()).closed;
    expect(await ended()).toMatchObject({ status: 'cancelled', estimated: true });
  });

  test('is charged by an estimate when its provider breaks off afterwards', async () => {
    const { upstream, askAndDisconnect, ended } = await open(begun + words);
    await askAndDisconnect(thinking, 'END');
    upstream.breakOff();
    expect(await ended()).toMatchObject({ status: 'cancelled', error_code: 'client_closed_request', estimated: true });
  });

  test('is ended by a gateway that drains', async () => {
    const { askAndDisconnect, gateway } = await open(begun + words);
    await askAndDisconnect(thinking, 'END');
    await gateway.drain(60_000);
    const { sums } = await gateway.operator.checkLedger();
    expect(sums).toMatchObject({ running: 0, held_usd: '0', requests: 1 });
    expect(parseUsd(sums.used_usd)).toBeGreaterThan(0n);
  });

  test('is charged by an estimate when its account already has twenty answers that are read on', async () => {
    const { askAndDisconnect, records } = await open(begun + words);
    for (let count = 0; count < 21; count += 1) await askAndDisconnect(thinking, 'END');
    await expect
      .poll(async () => (await records()).filter(({ status }) => status !== 'running'))
      .toEqual([expect.objectContaining({ status: 'cancelled', estimated: true })]);
  });
});

const chatUsage = (cached: number) => ({
  prompt_tokens: 10_000,
  completion_tokens: 3,
  total_tokens: 10_003,
  prompt_tokens_details: { cached_tokens: cached },
});
const chatEnd = (cached: number) =>
  [
    httpChunk(completionEvent({}, { finish_reason: 'stop' })),
    httpChunk(`data: ${JSON.stringify({ id: 'c', choices: [], usage: chatUsage(cached) })}\n\ndata: [DONE]\n\n`),
    '0\r\n\r\n',
  ].join('');

test('an estimate uses the share of the prompt that the last answer had read from the cache', async () => {
  const { upstream, askAndDisconnect, ended, post, pass } = await open(
    streamHead + httpChunk(completionEvent({ content: 'Hello' })),
    { timeouts: { readOnMs: 50 } },
  );
  const long = [{ role: 'user', content: 'word '.repeat(10_000) }];
  const first = await post('/v1/chat/completions', { ...plain, messages: long });
  upstream.say(chatEnd(9_900));
  await first.text();
  pass(60_000);
  await askAndDisconnect(
    { ...plain, messages: [...long, { role: 'assistant', content: 'Hello' }, ...messages] },
    'Hello',
  );
  const record = await ended();
  expect(record).toMatchObject({ status: 'cancelled', estimated: true });
  const { prompt_tokens: prompt, cached_tokens: cached } = record;
  expect((cached ?? 0) / (prompt ?? 1)).toBeCloseTo(0.99, 2);
});

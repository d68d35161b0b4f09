import { afterEach, expect, test, vi } from 'vitest';
import { refusal } from '#shared/language/refusals.ts';
import { readJson, upstreamBytes, upstreamFetch } from './upstream-fetch.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('an upstream that sends nothing for a minute times out, and its connection is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let cancelled = false;
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel() {
      cancelled = true;
    },
  });
  const bytes = upstreamBytes(new Response(silent), 'openai');
  await bytes.next();
  const waiting = expect(bytes.next()).rejects.toMatchObject({ code: 'upstream_timeout', provider: 'openai' });
  await vi.advanceTimersByTimeAsync(60_000);
  await waiting;
  expect(cancelled).toBe(true);
});

test('an answer without a body is a bad response', async () => {
  const bytes = upstreamBytes(new Response(null, { status: 204 }), 'openai');
  await expect(bytes.next()).rejects.toMatchObject({ code: 'upstream_bad_response', provider: 'openai' });
});

test('a reader that stops early closes the connection', async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel() {
      cancelled = true;
    },
  });
  for await (const _chunk of upstreamBytes(new Response(endless), 'openai')) break;
  expect(cancelled).toBe(true);
});

test('a list that is larger than eight mebibytes is refused', async () => {
  const huge = new Response(`"${'x'.repeat(9_000_000)}"`);
  await expect(readJson(huge, 'local')).rejects.toMatchObject({ code: 'upstream_bad_response' });
});

test('an aborted call fails with the reason of its abort, not as an unreachable upstream', async () => {
  const reason = new Error('given up');
  const fetch = () => Promise.reject(new TypeError('fetch failed'));
  const call = { provider: 'openai', url: 'https://api.example/v1', headers: {}, fetch };
  await expect(upstreamFetch({ ...call, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const reached = upstreamFetch({ ...call, signal: new AbortController().signal });
  await expect(reached).rejects.toMatchObject({ code: 'upstream_unreachable' });
});

test('the reason for a closed way out is passed on, and not replaced by an upstream that cannot be reached', async () => {
  const closed = refusal('upstream_unreachable', 'networkUnreadable');
  const call = { provider: 'openai', url: 'https://api.example/v1', headers: {}, fetch: () => Promise.reject(closed) };
  await expect(upstreamFetch({ ...call, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'upstream_unreachable',
    provider: 'openai',
    message: closed.message,
    refusal: { name: 'networkUnreadable' },
  });
});

test('a call with a key is refused over plain http, whoever set the address, and a call without one is not', async () => {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({});
  };
  const call = (url: string, headers: Record<string, string>) =>
    upstreamFetch({ provider: 'vllm', url, headers, fetch, signal: new AbortController().signal });
  for (const name of ['Authorization', 'x-api-key', 'X-Goog-Api-Key', 'api-key']) {
    const refused = call('http://10.0.0.5:8000/v1/models', { [name]: 'canary' });
    await expect(refused).rejects.toMatchObject({ code: 'upstream_unreachable', message: /needs https/ });
  }
  expect(asked).toEqual([]);
  await call('http://10.0.0.5:8000/v1/models', { accept: 'application/json' });
  await call('http://127.0.0.1:8000/v1/models', { authorization: 'canary' });
  await call('https://api.example/v1/models', { authorization: 'canary' });
  expect(asked).toHaveLength(3);
});

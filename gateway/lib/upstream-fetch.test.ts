import { afterEach, expect, test, vi } from 'vitest';
import { readJson, upstreamBytes } from './upstream-fetch.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('an upstream that falls silent for a minute is a timeout, and its connection is given up', async () => {
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

test('leaving an answer early gives its connection up', async () => {
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

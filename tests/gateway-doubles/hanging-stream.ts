import { expect, onTestFinished } from 'vitest';
import { requestRecord } from '#shared/wire/request-record.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import { openTestGateway, type TestGatewayOptions } from './open-test-gateway.ts';
import { completionEvent } from './raw-upstream.ts';
import { hangingReply, openUpstream } from './upstream-server.ts';

/** The interval is long because each key has a rate limit for reads, too. */
const soon = { timeout: 20_000, interval: 200 };
type Opened = Awaited<ReturnType<typeof openHanging>>;

/** Opens a gateway whose upstream sends one word and then nothing more. */
export async function openHanging(options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(hangingReply(completionEvent({ role: 'assistant', content: 'Hello' })));
  onTestFinished(upstream.close);
  const opened = await openTestGateway({
    ...options,
    providers: { openai: { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` } },
  });
  return { ...opened, upstream };
}

/** Begins a stream and reads its first word. `rest` returns everything that follows. */
export async function stream({ post, upstream }: Opened, key: string) {
  const body = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const response = await post('/v1/chat/completions', body, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? null : decoder.decode(value, { stream: true });
  };
  let text = '';
  while (!text.includes('Hello')) text += (await next()) ?? '';
  return {
    id: response.headers.get('x-request-id') ?? '',
    call: upstream.calls.at(-1),
    async rest() {
      let all = '';
      for (let part = await next(); part !== null; part = await next()) all += part;
      return all;
    },
  };
}

/**
 * Expects that the stream ended with one error event that is no chunk, that the connection to the upstream was closed,
 * and that the text so far is paid for.
 */
export async function expectEnded(
  opened: Opened,
  running: Awaited<ReturnType<typeof stream>>,
  code: string,
  reader: string,
) {
  const rest = await running.rest();
  const [event] = rest.split('\n\n').filter((line) => line.startsWith('data: ') && line.includes('"error"'));
  expect(JSON.parse(event?.slice(6) ?? '{}')).toMatchObject({ error: { code, request_id: running.id } });
  expect(rest).not.toContain('[DONE]');
  expect(event).not.toContain('choices');
  await running.call?.closed;
  await expect
    .poll(async () => {
      const response = await opened.call(`/v1/requests/${running.id}`, { key: reader });
      return requestRecord.parse(await response.json());
    }, soon)
    .toMatchObject({
      status: 'cancelled',
      error_code: code,
      estimated: true,
      cost_usd: expect.stringMatching(/[1-9]/),
    });
}

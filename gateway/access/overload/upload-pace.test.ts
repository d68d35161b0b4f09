import { connect } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import { listen } from '../../http/listen.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const second = 1_000;
const piece = Buffer.alloc(65_536, 'x');

/** A port whose handlers read all of a body, or none of it, and answer "ok". `arrived` waits until this much of it has come. */
async function openPort(path: string, reads = true) {
  let size = 0;
  let wake = () => {};
  const count = (bytes: Uint8Array) => {
    size += bytes.byteLength;
    wake();
  };
  const begun = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  const read = async (request: Request) => {
    begun.resolve();
    if (!reads) return new Response('no', { status: 401 });
    for await (const bytes of request.body ?? []) count(bytes);
    return new Response('ok');
  };
  const answerChat = async (exchange: HttpExchange) => {
    begun.resolve();
    if (!reads) return exchange.send(401, {}, 'no');
    await exchange.eachPiece(count).then(() => exchange.send(200, {}, 'ok'), failed.resolve);
  };
  const server = await listen({ fetch: read, answerChat }, { port: 0 });
  onTestFinished(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const client = { answer: '', closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) };
  socket
    .on('error', () => {})
    .on('data', (bytes) => {
      client.answer += String(bytes);
    });
  const send = (bytes: Uint8Array | string) => void socket.write(bytes);
  const head = (length: number) =>
    send(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`);
  const arrived = async (bytes: number) => {
    while (size < bytes) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { client, head, send, arrived, begun: begun.promise, failed: failed.promise };
}

describe.each(['/v1/chat/completions', '/v1/quote'])('a request to %s', (path) => {
  test('may take minutes as long as it keeps arriving', async () => {
    const { client, head, send, arrived } = await openPort(path);
    const pieces = 20;
    head(pieces * piece.length);
    for (let sent = 1; sent <= pieces; sent += 1) {
      send(piece);
      await arrived(sent * piece.length);
      vi.advanceTimersByTime(14 * second);
    }
    await client.closed;
    expect(client.answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*ok/);
  });

  test('that comes byte by byte is refused after 15 seconds, and its connection is closed', async () => {
    const { client, head, send, arrived } = await openPort(path);
    head(1_000_000);
    let seconds = 0;
    for (; client.answer === '' && seconds < 60; seconds += 1) {
      send('x');
      await arrived(seconds + 1);
      vi.advanceTimersByTime(second);
      await nextTick();
    }
    expect(seconds).toBeLessThanOrEqual(18);
    vi.advanceTimersByTime(second);
    await client.closed;
    const [status = '', body = ''] = client.answer.split('\r\n\r\n');
    expect(status).toMatch(/^HTTP\/1\.1 408 /);
    expect(errorBody.parse(JSON.parse(body)).error).toMatchObject({ code: 'request_timeout', retryable: true });
  });

  test('that is not read any more is disconnected after 15 seconds, however fast it comes', async () => {
    const { client, head, send, begun } = await openPort(path, false);
    head(100_000_000);
    await begun;
    while (client.answer === '') await nextTick();
    let open = true;
    void client.closed.then(() => {
      open = false;
    });
    let seconds = 0;
    for (; open && seconds < 60; seconds += 1) {
      send(piece);
      vi.advanceTimersByTime(second);
      await nextTick();
    }
    await client.closed;
    expect(seconds).toBeLessThanOrEqual(20);
    expect(client.answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

test('a chat that came too slowly has the same error in its answer, the log and the metrics', async () => {
  const { head, send, arrived, failed } = await openPort('/v1/chat/completions');
  head(1_000_000);
  send('x');
  await arrived(1);
  for (let seconds = 0; seconds < 20; seconds += 1) vi.advanceTimersByTime(second);
  expect(await failed).toMatchObject({ code: 'request_timeout' });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { completionEvent, httpChunk, openRawUpstream, streamHead } from '../../tests/gateway-doubles/raw-upstream.ts';
import { Secret } from '../access/auth/secret.ts';
import { listen } from '../http/listen.ts';

/** The stand-alone server with real sockets on both sides. Its provider's answers are never read on after a disconnect. */
async function openStandAlone(sent: string) {
  const upstream = await openRawUpstream(sent);
  onTestFinished(upstream.close);
  const opened = await openTestGateway({
    now: Date.now,
    providers: {
      openai: { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1`, onDisconnect: 'abort' },
    },
  });
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(server.close);
  return { ...opened, server, upstream };
}

type StandAlone = Awaited<ReturnType<typeof openStandAlone>>;

async function ask({ server, key }: StandAlone, stream: boolean): Promise<Socket> {
  const body = JSON.stringify({
    model: 'openai/gpt-4o-mini',
    stream,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

async function readUntil(socket: Socket, wanted: string): Promise<string> {
  let seen = '';
  for await (const part of socket) {
    seen += String(part);
    if (seen.includes(wanted)) break;
  }
  return seen;
}

const firstWord = streamHead + httpChunk(completionEvent({ content: 'Hello' }));

/** The deadline is real time, so a test that failed on a busy machine is repeated. */
const patience = { retry: 2 };

test.each([
  ['a stream before the upstream has sent anything', true, ''],
  ['a stream before the first word', true, streamHead],
  ['a stream after the first word', true, firstWord],
  ['a non-streaming answer before the upstream has sent anything', false, ''],
  ['a non-streaming answer that the upstream streams, after the first word', false, firstWord],
])(
  'the upstream connection is closed within 500 ms when the client disconnects from %s',
  patience,
  async (_when, stream, sent) => {
    const opened = await openStandAlone(sent);
    const client = await ask(opened, stream);
    const call = await opened.upstream.call();
    if (stream && sent === firstWord) {
      let seen = '';
      while (!seen.includes('Hello')) seen += String((await once(client, 'data'))[0]);
    }
    const left = performance.now();
    client.destroy();
    await call.closed;
    expect(performance.now() - left).toBeLessThan(500);
  },
);

test('a draining gateway lets a running stream complete over the socket', async () => {
  const opened = await openStandAlone(firstWord);
  const client = await ask(opened, true);
  await opened.upstream.call();
  const answer = readUntil(client, '[DONE]');
  const drained = opened.gateway.drain(5_000);
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const last = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`;
  opened.upstream.say(
    `${httpChunk(completionEvent({ content: ' world' }))}${httpChunk(completionEvent({}, { finish_reason: 'stop' }))}${httpChunk(last)}0\r\n\r\n`,
  );
  expect(await answer).toContain('[DONE]');
  await drained;
});

test('a provider that breaks off in the middle gives one error event and no [DONE]', async () => {
  const opened = await openStandAlone(firstWord);
  const client = await ask(opened, true);
  await opened.upstream.call();
  const answer = readUntil(client, '\r\n0\r\n\r\n');
  await opened.upstream.close();
  const text = await answer;
  expect(text).toContain('upstream_truncated');
  expect(text).not.toContain('[DONE]');
});

test('a client that stops reading makes the provider wait, long before 30 MB have piled up', async () => {
  const opened = await openStandAlone(streamHead);
  const client = await ask(opened, true);
  client.pause();
  const call = await opened.upstream.call();
  const taken = opened.upstream.flood(httpChunk(completionEvent({ content: 'x'.repeat(4_000) })));
  let before = -1;
  const settled = () => {
    const unchanged = taken() === before && before > 0;
    before = taken();
    return unchanged;
  };
  await expect.poll(settled, { interval: 200 }).toBe(true);
  expect(taken()).toBeLessThan(30_000_000);
  client.destroy();
  await call.closed;
});

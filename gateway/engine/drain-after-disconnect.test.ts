import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { completionEvent, httpChunk, openRawUpstream, streamHead } from '../../tests/gateway-doubles/raw-upstream.ts';
import { Secret } from '../access/auth/secret.ts';
import { listen } from '../http/listen.ts';

const firstWord = streamHead + httpChunk(completionEvent({ content: 'Hello' }));
const usage = { prompt_tokens: 30, completion_tokens: 2_000, total_tokens: 2_030 };
const rest = [
  httpChunk(completionEvent({ content: ' world' })),
  httpChunk(completionEvent({}, { finish_reason: 'stop' })),
  httpChunk(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`),
  '0\r\n\r\n',
].join('');
const body = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] };

async function open(onDisconnect?: 'abort' | 'drain') {
  const upstream = await openRawUpstream(firstWord);
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({
    providers: { openai: { ...credential, ...(onDisconnect ? { onDisconnect } : {}) } },
  });
  const record = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data[0];
  const ended = async () => {
    await expect.poll(async () => (await record())?.status).not.toBe('running');
    const { checks } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    return record();
  };
  return { ...opened, upstream, ended };
}

test.each([
  ['drain', { status: 'succeeded', ...usage, estimated: false }],
  ['abort', { status: 'cancelled', estimated: true }],
  [undefined, { status: 'cancelled', ...usage, estimated: false, error_code: 'client_closed_request' }],
] as const)('with on_disconnect %s an answer whose client disconnects ends as %j', async (choice, end) => {
  const { post, upstream, ended } = await open(choice);
  const reader = (await post('/v1/chat/completions', body)).body?.getReader();
  for (let seen = ''; !seen.includes('Hello'); ) seen += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  upstream.say(rest);
  const record = await ended();
  expect(record).toMatchObject(end);
  expect(record?.cost_usd).not.toBe('0');
});

test('a client that stops reading and then disconnects does not keep the provider waiting', async () => {
  const { gateway, key, upstream, ended } = await open('drain');
  const server = await listen(gateway, { port: 0 });
  onTestFinished(server.close);
  const client = connect(server.port, '127.0.0.1');
  await once(client, 'connect');
  const text = JSON.stringify(body);
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  await once(client, 'data');
  client.pause();
  upstream.say(httpChunk(completionEvent({ content: 'x'.repeat(60_000) })).repeat(200) + rest);
  client.destroy();
  expect(await ended()).toMatchObject({ status: 'succeeded', ...usage, estimated: false });
});

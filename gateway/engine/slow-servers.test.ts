import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { openUpstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { engineTimeouts } from './engine.ts';

/** A server of one's own may load a model and read for minutes before its first word. */

/** What a server sends before it is silent: nothing, its head, or its head and a comment. */
const beginnings = [
  ['nothing', null],
  ['its headers', ''],
  ['its headers and a comment', ': still reading\n\n'],
] as const;

async function open(
  begun: string | null,
  silentMs: number,
  { timeoutMs = null as number | null, ownServerMs = 60_000 } = {},
) {
  const upstream = await openUpstream(async (_call, response) => {
    const head = () => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (begun !== null) head();
    if (begun) response.write(begun);
    await wait(silentMs);
    if (begun === null) head();
    response.end(recordedStreams.openai.join(''));
  });
  onTestFinished(upstream.close);
  const { post } = await openTestGateway({
    plan: 'local',
    timeouts: { firstEventMs: 50, attemptMs: 50, silentMs: 50, ownServerMs },
    providers: {
      near: {
        apiKey: null,
        baseUrl: `${upstream.origin}/v1`,
        server: { name: 'Near', kind: 'llamacpp', apiVersion: null },
        models: [{ model: 'model', sameAs: null, price: null }],
        ...(timeoutMs === null ? {} : { timeoutMs }),
      },
    },
  });
  const body = { model: 'near/model', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  return (await post('/v1/chat/completions', body)).text();
}

test.each(beginnings)('a server that sent %s is waited for', async (_name, begun) => {
  expect(await open(begun, 300)).toMatch(/data: \[DONE\]\n\n$/);
});

test.each(beginnings)(
  'a server that sent %s is waited for no longer than its operator allows',
  async (_name, begun) => {
    const text = await open(begun, 3_000, { timeoutMs: 1_000 });
    expect(text).toContain('upstream_timeout');
    expect(text).toContain('near/model did not begin to answer within 1 second. A longer time can be set');
  },
);

test('its operator may allow more than the usual time', async () => {
  expect(await open('', 300, { timeoutMs: 60_000, ownServerMs: 50 })).toMatch(/data: \[DONE\]\n\n$/);
});

test('half an hour is allowed by default', () => {
  expect(engineTimeouts.ownServerMs).toBe(1_800_000);
});

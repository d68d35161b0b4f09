import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { testModel, testPrice } from '../../tests/gateway-doubles/test-models.ts';
import { byProvider, openThreeProviders, type ThreeProviders } from '../../tests/gateway-doubles/three-providers.ts';
import { type Reply, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';

/** A model that thinks may be silent for minutes. The same model without thinking is given up on (docs/decisions/049). */

let upstream: Upstream;
let open: ThreeProviders['open'];
let close: ThreeProviders['close'];
beforeEach(async () => {
  ({ upstream, open, close } = await openThreeProviders());
});
afterEach(() => close());

const cheap = testModel('openai/gpt-x', { price: testPrice('0.0000001', '0.0000004') });
const models = [cheap, testModel('anthropic/claude-x')];
const body = { messages: [{ role: 'user', content: 'hello' }], stream: true };
const path = '/v1/chat/completions';
const minute = 60_000;
const long = { firstEventMs: minute, silentMs: minute, totalMs: minute };

/** Sends the first events, is silent until it is released, and then sends the rest. */
function pausedAfter(events: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reply: Reply = async (_call, response) => {
    const write = (part: readonly string[]) => response.write(part.join(''));
    if (events > 0) response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (events > 0) write(recordedStreams.openai.slice(0, events));
    await promise;
    if (events === 0) response.writeHead(200, { 'content-type': 'text/event-stream' });
    write(recordedStreams.openai.slice(events));
    response.end();
  };
  return { reply, release: resolve };
}

/** Reads a stream to its end, and calls `reached` when more than this many keep-alive comments have come. */
async function getText(response: Response, comments: number, reached: () => void): Promise<string> {
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.split(': keep-alive').length > comments) reached();
  }
  return text;
}

const streamTimes = { holdMs: 5, keepAliveMs: 5 };
/** After this many comments, every time limit of a model that does not think has long passed. */
const comments = 30;
const shortTimes = { firstEventMs: 60, attemptMs: 30, silentMs: 60 };

describe.each([
  ['before the first word', 0],
  ['in the middle of the answer', 3],
])('silence %s', (_where, events) => {
  test('is allowed for a model that thinks: the client gets comments, and no other model is asked', async () => {
    const { reply, release } = pausedAfter(events);
    upstream.replyWith(byProvider({ openai: reply, anthropic: streamReply(recordedStreams.anthropic.join('')) }));
    const bench = await open({ models, streamTimes, timeouts: { ...shortTimes, thinking: long } });
    const response = await bench.post(path, { ...body, model: 'router', reasoning_effort: 'high' });
    const text = await getText(response, comments, release);
    expect(text).toMatch(/"provider":"openai"[\s\S]*data: \[DONE\]\n\n$/);
    expect(upstream.calls).toHaveLength(1);
  });

  test('ends the answer even of a model that thinks, when it has lasted too long', async () => {
    const other = streamReply(recordedStreams.anthropic.join(''));
    upstream.replyWith(byProvider({ openai: pausedAfter(events).reply, anthropic: other }));
    const thinking = { ...long, firstEventMs: 60, silentMs: 60 };
    const bench = await open({ models, timeouts: { ...shortTimes, thinking } });
    const response = await bench.post(path, { ...body, model: 'router', reasoning_effort: 'high' });
    expect(await response.text()).toContain('upstream_timeout');
    expect((await bench.account()).held).toBe(0n);
    // No other model is asked that could only be late. On a busy machine the limit may pass before even the first model was asked.
    expect(upstream.calls.map((call) => call.path)).not.toContain('/v1/messages');
  });

  test.each([{}, { reasoning_effort: 'none' }])(
    'ends the answer of a model that does not think, asked %j',
    async (more) => {
      upstream.replyWith(pausedAfter(events).reply);
      const bench = await open({ models, timeouts: { ...shortTimes, thinking: long } });
      const response = await bench.post(path, { ...body, model: 'openai/gpt-x', ...more });
      expect(await response.text()).toContain('upstream_timeout');
    },
  );
});

test('an answer has the total time of the slowest model that was asked', async () => {
  const { reply, release } = pausedAfter(3);
  upstream.replyWith(reply);
  const times = { holdMs: 10, keepAliveMs: 10 };
  const bench = await open({ models, streamTimes: times, timeouts: { totalMs: 300, thinking: long } });
  const response = await bench.post(path, { ...body, model: 'openai/gpt-x', reasoning_effort: 'high' });
  expect(await getText(response, 50, release)).toMatch(/data: \[DONE\]\n\n$/);
});

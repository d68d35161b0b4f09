import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openThreeProviders, type ThreeProviders } from '../../../tests/gateway-doubles/three-providers.ts';
import { streamReply, type Upstream } from '../../../tests/gateway-doubles/upstream-server.ts';

let upstream: Upstream;
let open: ThreeProviders['open'];
let close: ThreeProviders['close'];
beforeEach(async () => {
  ({ upstream, open, close } = await openThreeProviders());
  upstream.replyWith(streamReply(recordedStreams.openai.join('')));
});
afterEach(() => close());

const long = 'Größe "10\u2033"\n'.repeat(2_000);

async function sent(body: string) {
  const bench = await open();
  const response = await bench.postText('/v1/chat/completions', body);
  expect(response.status).toBe(200);
  return upstream.calls[0]?.body;
}

test('a long prompt reaches the upstream unchanged, in a body that the gateway builds', async () => {
  const messages = [
    { role: 'developer', content: 'Be brief. "messages":[]' },
    { role: 'user', content: long },
  ];
  const body = await sent(
    JSON.stringify({ max_tokens: 5, messages, model: 'openai/gpt-x', temperature: 0.5 }, null, 2),
  );
  expect(body).toMatchObject({ model: 'gpt-x', messages, stream: false, max_completion_tokens: 5 });
});

test('the upstream gets the value that was metered when a field appears twice', async () => {
  const content = JSON.stringify(long);
  const body = await sent(
    `{"model":"openai/gpt-x","max_tokens":5,"messages":[{"role":"user","content":${content},"content":"short"}]}`,
  );
  expect(body?.messages).toEqual([{ role: 'user', content: 'short' }]);
});

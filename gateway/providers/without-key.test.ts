import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { errorReply, openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/** A key of a form that no pattern could recognise. */
const key = 'correcthorse/battery+staple';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterAll(() => upstream.close());

const fault = (message: string) => ({ error: { message, type: 'invalid_request_error', code: 'bad_thing' } });

test.each([
  ['as its status', (message: string) => errorReply(400, fault(message))],
  ['inside the stream', (message: string) => streamReply(`data: ${JSON.stringify(fault(message))}\n\n`)],
])("the gateway's key is removed when a provider quotes it %s", async (_how, reply) => {
  const credential = { apiKey: new Secret(key), baseUrl: `${upstream.origin}/v1` };
  const { post, entries } = await openTestGateway({ providers: { openai: credential } });
  for (const message of [`Strange thing ${key} was sent.`, `${'word '.repeat(97)}${key}`]) {
    upstream.replyWith(reply(message));
    const answer = await post('/chat', { model: 'openai/gpt-4o-mini', prompt: 'hello' });
    const text = await answer.text();
    expect(text).toContain('upstream_invalid_request');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('correcthorse');
  }
  expect(JSON.stringify(entries)).not.toContain('correcthorse');
});

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

test('the words of a server stay whole when a harmless header has one of them as its value', async () => {
  const headers = new Map([
    ['x-portkey-provider', new Secret('openai')],
    ['x-api-key', new Secret('s3cret')],
    ['x-opaque', new Secret('a1b2c3d4e5f6a7b8c9d0')],
  ]);
  const server = { name: 'Hall', kind: 'openai-compatible' as const, apiVersion: null };
  const models = [{ model: 'm', sameAs: null, price: null }];
  const hall = { apiKey: null, baseUrl: `${upstream.origin}/v1`, headers, server, models };
  const { post } = await openTestGateway({ plan: 'local', providers: { hall } });
  upstream.replyWith(errorReply(400, fault('openai error: s3cret and a1b2c3d4e5f6a7b8c9d0 are wrong')));
  const answer = await post('/v1/chat/completions', { model: 'hall/m', messages: [{ role: 'user', content: 'hi' }] });
  const { error } = await answer.json();
  expect(error.provider_error.message).toBe('openai error: [redacted] and [redacted] are wrong');
});

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

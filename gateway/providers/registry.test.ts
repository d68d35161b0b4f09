import { afterEach, beforeEach, expect, test } from 'vitest';
import { Secret } from '../lib/secret.ts';
import { openChatBench } from '../testing/chat-bench.ts';
import { recordedStreams } from '../testing/recorded-streams.ts';
import { errorReply, openUpstream, streamReply, type Upstream } from '../testing/upstream-server.ts';
import { createRegistry } from './registry.ts';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream((call, response) => {
    if (call.path === '/v1/models')
      return errorReply(200, { data: [{ id: 'llama3:8b', created: 5 }, { id: '' }, 7] })(call, response);
    return streamReply(recordedStreams.openai.join(''))(call, response);
  });
});
afterEach(() => upstream.close());

function open(sandbox = true) {
  const logged: unknown[] = [];
  const log = (entry: unknown) => void logged.push(entry);
  return { logged, registry: createRegistry({ fetch, sandbox, sandboxPace: 0, log }) };
}
const local = () => ({ apiKey: null, baseUrl: `${upstream.origin}/v1/` });

test('a provider is configured while it has a credential', () => {
  const { registry } = open();
  expect(registry.configured()).toEqual(['sandbox']);
  registry.set('openai', { apiKey: new Secret('k'), baseUrl: 'https://a.example/v1' });
  expect(registry.configured()).toEqual(['openai', 'sandbox']);
  registry.set('openai', null);
  expect(registry.get('openai')).toMatchObject({ credential: null });
  expect(registry.get('acme')).toBeNull();
  expect(() => registry.set('acme', null)).toThrow(RangeError);
});

test('the sandbox can be left out', () => {
  expect(
    open(false)
      .registry.all()
      .map((provider) => provider.id),
  ).not.toContain('sandbox');
});

test('a local server’s own models appear, at a price that is not known, and can be asked', async () => {
  const bench = await openChatBench({ plan: 'local' });
  bench.registry.set('openai-compatible', local());
  await bench.registry.refresh();
  expect(bench.registry.models().at(-1)).toMatchObject({ id: 'openai-compatible/llama3:8b', price: null, created: 5 });
  const response = await bench.post('/chat', { model: 'llama3:8b', prompt: 'hi' });
  expect(await response.json()).toMatchObject({ text: recordedStreams.text, cost_usd: '0' });
  expect(upstream.calls.at(-1)?.headers.authorization).toBeUndefined();
  bench.registry.set('openai-compatible', null);
  expect(bench.registry.models().some((model) => model.provider === 'openai-compatible')).toBe(false);
  await bench.close();
});

test('a local server that cannot list its models is told on demand, and logged otherwise', async () => {
  upstream.replyWith(errorReply(500, {}));
  const { registry, logged } = open();
  registry.set('openai-compatible', local());
  await expect(registry.refresh()).rejects.toMatchObject({ code: 'upstream_error' });
  await expect.poll(() => logged).toContainEqual(expect.objectContaining({ event: 'model_list_failed' }));
});

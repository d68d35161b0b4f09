import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openUpstream, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { allScopes } from '../../access/auth/scopes.ts';
import { Secret } from '../../access/auth/secret.ts';
import { buildCatalogue } from '../../models/catalogue/build-catalogue.ts';
import { passedFields } from './passed-fields.ts';

const wholeStream = recordedStreams.openai.join('');
const path = '/v1/chat/completions';
const model = 'openai/gpt-4o-mini';
const messages = [{ role: 'user', content: 'hi' }];

async function open() {
  const upstream = await openUpstream(streamReply(wholeStream));
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` };
  return { upstream, ...(await openTestGateway({ providers: { openai: credential } })) };
}

/** Fields with their own rule, which a price or a limit covers. */
const ownRules = ['model', 'messages', 'stream', 'stream_options', 'max_completion_tokens', 'temperature'];

test('every field of passedFields reaches the provider', async () => {
  const { post, upstream } = await open();
  const passed = {
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { 5: 1 },
    prediction: { type: 'content', content: 'Hello' },
    service_tier: 'priority',
    prompt_cache_key: 'k',
    safety_identifier: 'person',
    verbosity: 'low',
  };
  const response = await post(path, {
    model: 'openai/gpt-5.1',
    reasoning_effort: 'none',
    messages,
    stream: true,
    ...passed,
  });
  expect(response.status).toBe(200);
  await response.text();
  const { facts } = buildCatalogue('2026-11-22', []).models.find(({ id }) => id === 'openai/gpt-5.1') ?? {};
  const taken = Object.keys(passed).filter((name) => !facts?.refusedFields.includes(name));
  expect(taken.length).toBeGreaterThan(3);
  expect(Object.keys(upstream.calls[0]?.body ?? {})).toEqual(expect.arrayContaining(taken));
  expect(Object.keys(passed).sort()).toEqual(Object.keys(passedFields).sort());
});

test.each([
  ...[
    { audio: { voice: 'alloy', format: 'wav' } },
    { store: true },
    { n: 2 },
    { functions: [] },
    { moderation: 'auto' },
  ],
  ...[{ background: true }, { costly: 'yes' }, { prompt_cache_retention: '24h' }, { stream_options: { a: 1 } }],
])('%o is refused or left out, because its cost is unknown', async (field) => {
  const { post, upstream } = await open();
  const response = await post(path, { model, messages, temperature: 1, max_tokens: 9, stream: true, ...field });
  await response.text();
  const sent = upstream.calls.flatMap(({ body }) => Object.keys(body));
  expect([200, 400]).toContain(response.status);
  expect(sent.length > 0).toBe(response.status === 200);
  expect(sent.filter((name) => !ownRules.includes(name) && !Object.hasOwn(passedFields, name))).toEqual([]);
});

test.each(Object.entries(passedFields))(
  'the field %s names a source for its effect on the cost',
  (_name, { source }) => {
    expect(source).toMatch(/\w+\.(\w+)/);
  },
);

test('names are hashed per account: an account always gets the same hash, another account a different one', async () => {
  const { post, upstream, gateway } = await open();
  const names = { user: 'person', safety_identifier: 'person', prompt_cache_key: 'person' };
  const ask = async (headers: Record<string, string> = {}) => {
    await (await post(path, { model, messages, stream: true, ...names }, { headers })).text();
    const { user, safety_identifier, prompt_cache_key } = upstream.calls.at(-1)?.body ?? {};
    return { user, safety_identifier, prompt_cache_key };
  };
  const first = await ask();
  const hashed = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(first).toEqual({ user: hashed, safety_identifier: hashed, prompt_cache_key: hashed });
  expect(await ask()).toEqual(first);
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Other' });
  await gateway.operator.grant({ accountId, amount: parseUsd('10') });
  const other = await gateway.operator.createKey({ accountId, label: 'other', scopes: allScopes });
  const second = await ask({ authorization: `Bearer ${other.key}` });
  for (const name of ['safety_identifier', 'prompt_cache_key'] as const) {
    expect(second[name]).toMatch(/^[0-9a-f]{32}$/);
    expect(second[name]).not.toBe(first[name]);
  }
});

test('names are passed on unchanged when the caller uses its own key', async () => {
  const { post, upstream } = await open();
  const asked = { model, messages, stream: true, safety_identifier: 'person', prompt_cache_key: 'mine' };
  await (await post(path, { ...asked, byoapi_key: 'sk-own-key-of-the-caller' })).text();
  expect(upstream.calls[0]?.body).toMatchObject({ safety_identifier: 'person', prompt_cache_key: 'mine' });
});

import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddingsResponse } from '#shared/wire/embeddings.ts';
import { Secret } from '../auth/secret.ts';
import { errorCode, openTestGateway, type TestGatewayOptions } from '../testing/open-test-gateway.ts';
import { errorReply, openUpstream, type Reply } from '../testing/upstream-server.ts';

const vector = [0.25, -0.5, 0.1, 3.4028234663852886e38];
const encoded = (numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const counted = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });
const usage = counted(5);

/** Answers as OpenAI does: the format that was asked for, a vector for each input. */
const openAiReply: Reply = ({ body }, response) => {
  const inputs = Array.isArray(body.input) && typeof body.input[0] !== 'number' ? body.input : [body.input];
  const embedding = body.encoding_format === 'base64' ? encoded(vector) : vector;
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data, model: body.model, usage }));
};

const said =
  (body: unknown): Reply =>
  (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

async function openEmbeddings(reply: Reply = openAiReply, options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(reply);
  onTestFinished(() => upstream.close());
  const apiKey = new Secret('platform-key-1234');
  const served = await openTestGateway({
    plan: 'enterprise',
    providers: {
      openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
      google: { apiKey, baseUrl: upstream.origin },
      ollama: { apiKey: null, baseUrl: `${upstream.origin}/v1` },
      anthropic: { apiKey, baseUrl: upstream.origin },
    },
    ...options,
  });
  const embed = (body: object, init: RequestInit = {}) =>
    served.post('/v1/embeddings', { model: 'openai/text-embedding-3-small', dimensions: 4, ...body }, init);
  const asked = () => upstream.calls.filter(({ method }) => method === 'POST');
  const records = async () => {
    const { data } = (await (await served.call('/v1/requests')).json()) as { data: Record<string, unknown>[] };
    return data;
  };
  return { ...served, upstream, embed, asked, records };
}

describe('embeddings', () => {
  test("OpenAI's own client gets them, asks base64 by itself, and pays to the nano-dollar", async () => {
    const { gateway, key, asked, records, call } = await openEmbeddings();
    const client = new OpenAI({
      ...{ apiKey: key, baseURL: 'http://127.0.0.1/v1', maxRetries: 0 },
      fetch: (url, init) => gateway.fetch(new Request(url as string, init)),
    });
    const model = 'openai/text-embedding-3-small';
    const made = await client.embeddings.create({ model, input: ['a', 'b'], dimensions: 4 });
    expect(made.data.map(({ embedding }) => embedding)).toEqual([vector, vector].map((one) => one.map(Math.fround)));
    expect(made.usage).toMatchObject(usage);
    expect(asked()[0]).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'text-embedding-3-small', input: ['a', 'b'], encoding_format: 'base64', dimensions: 4 },
    });
    const [record] = await records();
    expect(record).toMatchObject({
      status: 'succeeded',
      prompt_tokens: 5,
      completion_tokens: 0,
      cost_usd: '0.0000001',
    });
    expect(await (await call('/v1/usage')).json()).toMatchObject({ data: [{ requests: 1, cost_usd: '0.0000001' }] });
  });

  test('plain fetch gets numbers, what was decided, and headers as of a chat', async () => {
    const { embed } = await openEmbeddings();
    const response = await embed({ input: 'a', metadata: { purpose: 'index' } });
    const body = embeddingsResponse.parse(await response.json());
    expect(body).toMatchObject({ provider: 'openai', cost_usd: '0.0000001', byok: false, warnings: [] });
    expect(body.data).toEqual([{ object: 'embedding', index: 0, embedding: vector }]);
    expect(response.headers.get('x-portico-model')).toBe('text-embedding-3-small');
    expect(response.headers.get('x-ratelimit-remaining-requests')).not.toBeNull();
  });

  test.each([
    ['input', { input: undefined }, 'missing_required_parameter'],
    ['input', { input: [] }, 'invalid_value'],
    ['input[1]', { input: ['a', ''] }, 'invalid_value'],
    ['input[1]', { input: ['a', 7] }, 'invalid_type'],
    ['input[0][1]', { input: [[1, -1]] }, 'invalid_type'],
    ['input', { input: Array(2_049).fill('a') }, 'invalid_value'],
    ['input', { input: Array(8_193).fill(1) }, 'context_length_exceeded'],
    ['input[1]', { input: [[1], Array(8_193).fill(1)] }, 'context_length_exceeded'],
    ['input', { input: Array(38).fill(Array(8_000).fill(1)) }, 'context_length_exceeded'],
    ['input', { input: 'word '.repeat(20_000) }, 'context_length_exceeded'],
    ['dimensions', { input: 'a', dimensions: 1_537 }, 'unsupported_value'],
    ['encoding_format', { input: 'a', encoding_format: 'int8' }, 'invalid_value'],
    ['encoding_format', { input: Array(2_048).fill('a'), dimensions: 1_536 }, 'unsupported_value'],
    ['model', { input: 'a', model: 'router' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'openai/gpt-5.4-mini' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'anthropic/claude-embed' }, 'unsupported_value'],
    ['model', { input: 'a', model: 'openai/nothing' }, 'model_not_found'],
    ['input', { input: [1], model: 'google/gemini-embedding-001', dimensions: 768 }, 'unsupported_value'],
    ['input', { input: Array(101).fill('a'), model: 'google/gemini-embedding-001' }, 'unsupported_value'],
  ])('refuses %s before anybody is asked: %o', async (param, body, code) => {
    const { embed, asked, records } = await openEmbeddings();
    const { error } = (await (await embed(body)).json()) as { error: { code: string; param: string } };
    expect(error).toMatchObject({ code, param });
    expect([asked().length, (await records()).length]).toEqual([0, 0]);
  });

  test('a chat with such a model is told where it belongs, and the list keeps the kinds apart', async () => {
    const { post, call } = await openEmbeddings();
    const chat = { model: 'openai/text-embedding-3-small', messages: [{ role: 'user', content: 'hi' }] };
    const { error } = (await (await post('/v1/chat/completions', chat)).json()) as { error: { message: string } };
    expect(error.message).toContain('/v1/embeddings');
    const list = await (await call('/v1/models?capability=embeddings')).json();
    const { data } = list as { data: { kind: string; embedding: object }[] };
    expect(data).toContainEqual(expect.objectContaining({ id: 'openai/text-embedding-3-large', kind: 'embedding' }));
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(['embedding']));
  });

  test.each<[string, Reply, string]>([
    ['401', errorReply(401, { error: { message: 'bad key' } }), 'upstream_auth_failed'],
    ['429', errorReply(429, { error: { message: 'slow down' } }), 'upstream_rate_limited'],
    ['500', errorReply(500, {}), 'upstream_error'],
    ['no JSON', said('<html>'), 'upstream_bad_response'],
    ['a vector too few', said({ data: [] }), 'upstream_bad_response'],
    ['words', said({ data: [{ index: 0, embedding: ['a'] }] }), 'upstream_bad_response'],
    ['base64 of no floats', said({ data: [{ index: 0, embedding: 'AAA=' }] }), 'upstream_bad_response'],
    ['other dimensions', said({ data: [{ index: 0, embedding: [1, 2] }] }), 'upstream_bad_response'],
    ['one place twice', said({ data: [{ index: 1, embedding: vector }] }), 'upstream_bad_response'],
    [
      'half an answer',
      (_call, response) => void response.writeHead(200).write('{"data":', () => response.destroy()),
      'upstream_truncated',
    ],
  ])('%s costs nothing', async (_what, reply, code) => {
    const { embed, records, call } = await openEmbeddings(reply);
    expect(await errorCode(await embed({ input: 'a' }))).toBe(code);
    expect(await records()).toMatchObject([{ status: 'failed', error_code: code, cost_usd: '0' }]);
    expect(await (await call('/credits')).json()).toMatchObject({ held: '0' });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../gateway/access/auth/secret.ts';
import { buildCatalogue } from '../../../gateway/models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../../../gateway/models/catalogue/catalogue.ts';
import { type ChatBench, openChatBench } from '../chat-bench.ts';
import { ordinaryFeatures } from './ordinary-features.ts';
import { openVendorDouble } from './vendor-double.ts';

/** Tests every model of the catalogue with every ordinary feature: no vendor refuses what the gateway sends it. */

const { models } = buildCatalogue('2026-11-22', []);
const vendors = openVendorDouble();
let bench: ChatBench;

beforeAll(async () => {
  const apiKey = new Secret('platform-key');
  bench = await openChatBench({
    models,
    plan: 'enterprise',
    balance: '100000',
    providers: {
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
    fetch: vendors.send,
    now: () => Date.UTC(2026, 10, 22),
  });
});
afterAll(() => bench.close());

const ask = async (model: Pick<CatalogueModel, 'id'>, body: object) => {
  const before = vendors.calls.length;
  const answer = await bench.post('/v1/chat/completions', { model: model.id, ...body });
  return { status: answer.status, text: await answer.text(), calls: vendors.calls.slice(before) };
};

describe.each(models.map((model) => [model.id, model] as const))('%s', (_id, model) => {
  test('answers requests for features that it claims, and its vendor never receives the others', async () => {
    const refused: object[] = [];
    for (const feature of ordinaryFeatures) {
      const claims = feature.needs.every((name) => model.capabilities.includes(name));
      const { status, text, calls } = await ask(model, feature.body(model));
      const refusals = calls.flatMap(({ refusal }) => refusal?.message ?? []);
      const answered = status === 200 && refusals.length === 0;
      const reportedDropped = answered && text.includes('"parameter_dropped"');
      const asExpected = claims ? answered : reportedDropped || (status === 400 && calls.length === 0);
      if (!asExpected) refused.push({ feature: feature.name, claims, status, refusals, text: text.slice(0, 300) });
    }
    expect(refused).toEqual([]);
  });
});

const tools = [{ type: 'function', name: 'one', parameters: { type: 'object', properties: {} } }];
const custom = [{ name: 'one', input_schema: { type: 'object', properties: {} } }];
const [call, use] = [
  { type: 'function_call', call_id: 'call_1', name: 'one', arguments: '{}' },
  { type: 'tool_use', id: 'call_1', name: 'one', input: {} },
];
const hi = { role: 'user', content: 'hi' };
/** A round of tool results with as much reasoning as the API can ask for. */
const rounds: readonly (readonly [path: string, body: object])[] = [
  [
    '/v1/responses',
    {
      tools,
      reasoning: { effort: 'xhigh' },
      temperature: 0.5,
      max_output_tokens: 6_000,
      input: [hi, call, { type: 'function_call_output', call_id: 'call_1', output: 'ok' }],
    },
  ],
  [
    '/v1/messages',
    {
      tools: custom,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'max' },
      max_tokens: 6_000,
      messages: [
        hi,
        { role: 'assistant', content: [use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'ok' }] },
      ],
    },
  ],
];

test.each(rounds)('%s: every model that calls tools answers a round of tool results', async (path, body) => {
  const refused: object[] = [];
  for (const model of models.filter(({ capabilities }) => capabilities.includes('tools'))) {
    const before = vendors.calls.length;
    const answer = await bench.post(path, { model: model.id, ...body });
    const text = await answer.text();
    const refusals = vendors.calls.slice(before).flatMap(({ refusal }) => refusal?.message ?? []);
    if (answer.status !== 200 || refusals.length > 0)
      refused.push({ model: model.id, refusals, text: text.slice(0, 300) });
  }
  expect(refused).toEqual([]);
});

describe('the router', () => {
  const [anyModel] = models;
  if (!anyModel) throw new Error('the catalogue is empty');

  test.each(ordinaryFeatures.map((feature) => [feature.name, feature] as const))(
    'asked for %s, chooses a model that answers it at once',
    async (_name, feature) => {
      const { status, calls } = await ask({ id: 'router' }, feature.body({ ...anyModel, maxOutputTokens: 32_000 }));
      expect(calls.map(({ refusal }) => refusal)).toEqual([null]);
      expect(status).toBe(200);
    },
  );

  test('chooses no model that would fulfil only half of a request', async () => {
    const forced = ordinaryFeatures.find(({ name }) => name === 'effort and a forced tool')?.body(anyModel);
    for (const only of [['anthropic/claude-opus-5-5'], ['anthropic/claude-fable-5-1']]) {
      const { status, calls } = await ask({ id: 'router' }, { ...forced, route: { only } });
      expect({ status, calls }, String(only)).toEqual({ status: 404, calls: [] });
    }
  });
});

describe('a large request, whose long parts are opened on another thread', () => {
  const long = 'word '.repeat(60_000);
  const open = { type: 'object', properties: { place: { type: 'string', minLength: 1 } } };
  const body = (text: string) => ({
    messages: [
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: text },
      { role: 'assistant', content: 'It is ' },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: open } },
    reasoning_effort: 'max',
  });

  test.each([
    'anthropic/claude-opus-5-5',
    'anthropic/claude-haiku-4-5',
    'google/gemini-3.8-flash',
    'openai/gpt-6-astra',
    'openai/gpt-4.1',
  ])('to %s is fitted like a small one', async (id) => {
    const small = await ask({ id }, body('hi'));
    const large = await ask({ id }, body(long));
    const warnings = ({ text }: typeof small) => (JSON.parse(text) as { warnings: object[] }).warnings;
    expect(large.calls.map(({ refusal }) => refusal)).toEqual([null]);
    expect(warnings(large)).toEqual(warnings(small));
    expect(JSON.stringify(large.calls[0]?.body).replace(long, 'hi')).toBe(JSON.stringify(small.calls[0]?.body));
  });
});

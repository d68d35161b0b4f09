import { describe, expect, test } from 'vitest';
import { user } from '../../../tests/gateway-doubles/message-bench.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../../../tests/gateway-doubles/vendors/scripted-calls.ts';

/** Tools as MCP servers and agents offer them, whose schemas and names vendors refuse. */

const openai = 'openai/gpt-4.1';
const models = [openai, 'openai/gpt-5.4', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-pro'];
const long = `mcp__a_server_with_a_long_name__${'read_the_complete_file_'.repeat(3)}now`;
const digit = '7zip_list';

const tool = (name: string, parameters?: object) => ({
  type: 'function',
  function: { name, description: 'd', ...(parameters ? { parameters } : {}) },
});

/** Returns the names and schemas that any vendor's API got. */
function sentTools(body: Record<string, unknown>) {
  const fields = body as never as {
    tools: { name?: string; function?: { name: string; parameters: object }; functionDeclarations?: object[] }[];
  };
  const flat = fields.tools.flatMap((one) => one.functionDeclarations ?? [one.function ?? one]);
  return (flat as Record<string, unknown>[]).map((one) => ({
    name: String(one.name),
    schema: (one.parameters ?? one.input_schema ?? one.parametersJsonSchema) as Record<string, unknown> | undefined,
  }));
}

describe.each(models)('%s', (model) => {
  test.each([undefined, { type: 'object' }, {}, { type: 'object', properties: {} }, { type: 'object', required: [] }])(
    'takes a tool with the schema %j',
    async (parameters) => {
      const { post, calls } = await openThreeVendors();
      const messages = [user('hi')];
      const answer = await post('/v1/chat/completions', { model, messages, tools: [tool('ping', parameters)] });
      expect(answer.status).toBe(200);
      const [sent] = sentTools(calls[0]?.body as never);
      if (!model.startsWith('google')) expect(sent?.schema ?? { properties: {} }).toMatchObject({ properties: {} });
    },
  );

  test('gets names that it accepts, and its calls come back with the names of the client', async () => {
    for (const name of [long, digit]) {
      const loop = () => [new ScriptedCall([/./, { path: 'a' }])];
      const { post, calls } = await openThreeVendors({}, { loop });
      const tools = [
        { name, description: 'd', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
      ];
      const ask = async (messages: object[]) => {
        const body = { model, max_tokens: 1_000, tools, messages, tool_choice: { type: 'auto' } };
        return (await (await post('/v1/messages', body)).json()) as { content: { type: string; id?: string }[] };
      };
      const { content } = await ask([user('Do it.')]);
      const use = content.find(({ type }) => type === 'tool_use');
      expect(use).toMatchObject({ name });
      await ask([
        user('Do it.'),
        { role: 'assistant', content },
        user([{ type: 'tool_result', tool_use_id: use?.id, content: 'done' }]),
      ]);
      const [first, second] = calls.map(({ body }) => JSON.stringify(body));
      const [sent] = sentTools(calls[0]?.body as never);
      const takes = model.startsWith('anthropic') || (model.startsWith('openai') && name === digit);
      expect(sent?.name === name).toBe(takes);
      expect(sent?.name).toMatch(takes ? /./ : /^[a-zA-Z_][\w-]{0,63}$/);
      // The earlier call has the same name as the tool.
      expect(second?.split(`"${sent?.name}"`).length).toBeGreaterThan((first ?? '').split(`"${sent?.name}"`).length);
      expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
    }
  });

  test('takes 200 tools of Anthropic’s clients', async () => {
    const { post, calls } = await openThreeVendors();
    const tools = Array.from({ length: 200 }, (_, index) => ({ name: `t${index}`, input_schema: { type: 'object' } }));
    const body = { model, max_tokens: 100, tools, messages: [user('hi')] };
    expect((await post('/v1/messages', body)).status).toBe(200);
    expect(sentTools(calls[0]?.body as never)).toHaveLength(200);
  });
});

test('tools whose names begin alike stay apart', async () => {
  const { post, calls } = await openThreeVendors();
  const tools = ['a', 'b'].map((end) => ({ name: `${'x'.repeat(90)}${end}`, input_schema: { type: 'object' } }));
  expect((await post('/v1/messages', { model: openai, max_tokens: 9, tools, messages: [user('hi')] })).status).toBe(
    200,
  );
  const names = sentTools(calls[0]?.body as never).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
});

test.each(models.slice(0, 3))('choices at the top of a schema are merged for %s, with a warning', async (model) => {
  const { post, calls } = await openThreeVendors();
  const parameters = {
    type: 'object',
    properties: { verbose: { type: 'boolean' } },
    required: ['verbose'],
    anyOf: [
      { properties: { id: { type: 'string' }, kind: { type: 'string' } }, required: ['kind', 'id'] },
      { $ref: '#/$defs/byName' },
    ],
    $defs: {
      byName: { properties: { name: { type: 'string' }, kind: { type: 'string' } }, required: ['kind', 'name'] },
    },
  };
  const request = { model, messages: [user('hi')], tools: [tool('find', parameters)] };
  const answer = await (await post('/v1/chat/completions', request)).json();
  expect(JSON.stringify(answer.warnings)).toContain('"schema_adjusted"');
  const [sent] = sentTools(calls[0]?.body as never);
  expect(sent?.schema).not.toHaveProperty('anyOf');
  expect(sent?.schema).toMatchObject({ type: 'object', required: ['verbose', 'kind'] });
  expect(Object.keys((sent?.schema?.properties ?? {}) as object).sort()).toEqual(['id', 'kind', 'name', 'verbose']);
});

test('stop sequences beyond a vendor’s limit are left out with a warning', async () => {
  const stops = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ask = async (model: string) => {
    const { post, calls } = await openThreeVendors();
    const body = { model, max_tokens: 100, stop_sequences: stops, messages: [user('hi')] };
    const text = await (await post('/v1/messages', body)).text();
    return { sent: JSON.stringify(calls[0]?.body), isShortened: text.includes('stop_shortened') };
  };
  expect((await ask(openai)).sent).toContain('["a","b","c","d"]');
  expect((await ask(openai)).isShortened).toBe(true);
  expect((await ask('google/gemini-2.5-pro')).sent).toContain('["a","b","c","d","e"]');
  expect((await ask('anthropic/claude-sonnet-4-5')).sent).toContain(JSON.stringify(stops));
});

test('an empty list of calls in the history is left out', async () => {
  const { post, calls } = await openThreeVendors();
  const messages = [user('hi'), { role: 'assistant', content: 'Hello', tool_calls: [] }, user('Go on')];
  for (const model of models) expect((await post('/v1/chat/completions', { model, messages })).status).toBe(200);
  expect(JSON.stringify(calls.map(({ body }) => body))).not.toContain('tool_calls');
});

import { describe, expect, test } from 'vitest';
import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../../../tests/gateway-doubles/vendors/scripted-calls.ts';
import { lostTheThread, thoughtThrough } from '../../../tests/gateway-doubles/vendors/tool-loops.ts';

/**
 * Tests every kind of client-run tool in the Responses API, with models that have this kind of tool and models that
 * don't.
 */

const models = ['gpt-4.1', 'openai/gpt-5.4', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const question = { role: 'user', content: 'Do it.' };
const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const patch = '*** Begin Patch\n*** Add File: a.txt\n+"ä" \\ 👋🏽\n*** End Patch\n';
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/s' };
const look = { type: 'function', name: 'look', parameters };

interface Kind {
  readonly tools: readonly object[];
  /** The call that the test double makes. */
  readonly calls: ScriptedCall;
  /** The item that the caller gets, without its ids. */
  readonly item: object;
  /** The item with which the caller answers the call. */
  readonly output: object;
}

const kinds: Readonly<Record<string, Kind>> = {
  custom: {
    tools: [{ type: 'custom', name: 'apply_patch', description: 'Edits files', format: grammar }, look],
    calls: new ScriptedCall([/^apply_patch$/, patch]),
    item: { type: 'custom_tool_call', name: 'apply_patch', input: patch },
    output: { type: 'custom_tool_call_output', output: 'Done!' },
  },
  namespace: {
    tools: [{ type: 'namespace', name: 'crm', description: 'Customers', tools: [look] }],
    calls: new ScriptedCall([/^crm__look$/, { id: '7' }], [/^look$/, { id: '7' }]),
    item: { type: 'function_call', name: 'look', namespace: 'crm', arguments: '{"id":"7"}' },
    output: { type: 'function_call_output', output: 'Ann' },
  },
  'custom in a namespace': {
    tools: [{ type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec', format: grammar }] }],
    calls: new ScriptedCall([/^exec$/, 'text("hi")']),
    item: { type: 'custom_tool_call', name: 'exec', namespace: 'functions', input: 'text("hi")' },
    output: { type: 'custom_tool_call_output', output: [{ type: 'input_text', text: 'hi' }] },
  },
  tool_search: {
    tools: [{ type: 'tool_search', execution: 'client', description: 'Finds tools', parameters }, look],
    calls: new ScriptedCall([/^tool_search$/, { id: 'weather' }]),
    item: { type: 'tool_search_call', execution: 'client', arguments: { id: 'weather' } },
    output: { type: 'tool_search_output', execution: 'client', tools: [{ ...look, name: 'weather' }] },
  },
  shell: {
    tools: [{ type: 'shell', environment: { type: 'local' } }],
    calls: new ScriptedCall([/^shell$/, { commands: ['ls', 'pwd'], timeout_ms: 5 }]),
    item: { type: 'shell_call', action: { commands: ['ls', 'pwd'], timeout_ms: 5, max_output_length: null } },
    output: {
      type: 'shell_call_output',
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
  },
  local_shell: {
    tools: [{ type: 'local_shell' }],
    calls: new ScriptedCall([/^local_shell$/, { command: ['ls', '-l'], working_directory: '/tmp' }]),
    item: {
      type: 'local_shell_call',
      action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp' },
    },
    output: { type: 'local_shell_call_output', output: 'a' },
  },
  apply_patch: {
    tools: [{ type: 'apply_patch' }],
    calls: new ScriptedCall([/^apply_patch$/, { type: 'create_file', path: 'a.txt', diff: '+a' }]),
    item: { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a.txt', diff: '+a' } },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'It exists.' },
  },
};

async function open(call: ScriptedCall) {
  const { post, calls } = await openThreeVendors({}, { loop: () => [call] });
  const ask = async (body: object, stream = false, headers: Record<string, string> = {}) => {
    const response = await post('/v1/responses', { stream, store: false, ...body }, { headers });
    if (!stream) return (await response.json()) as JsonObject & ErrorBody;
    const events = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    const last = asObject(events.at(-1)?.response);
    expect(last.output).toEqual(done);
    return last as JsonObject & ErrorBody;
  };
  const refusals = () => calls.flatMap(({ refusal }) => refusal ?? []);
  return { ask, calls, refusals };
}

const getOutput = (response: JsonObject) => asArray(response.output).map(asObject);
const textIn = (response: JsonObject) =>
  getOutput(response)
    .flatMap(({ content }) => asArray(content).map((part) => asObject(part).text))
    .join('');

const rows = models.flatMap((model) =>
  Object.keys(kinds).flatMap((kind) => [false, true].map((stream) => [model, kind, stream] as const)),
);

describe('a tool of each kind', () => {
  test.each(rows)(
    '%s calls a client-run tool and gets its call and result back: %s, streamed: %s',
    async (model, kind, stream) => {
      const { tools, calls: script, item, output } = kinds[kind] as Kind;
      const { ask, refusals } = await open(script);
      const reasoning = model === 'gpt-4.1' ? {} : { reasoning: { effort: 'low' } };
      const first = await ask({ model, tools, input: [question], ...reasoning }, stream);
      expect(refusals()).toEqual([]);
      const call = getOutput(first).find(({ type }) => String(type).endsWith('_call')) ?? {};
      expect(call).toMatchObject({ ...item, status: 'completed', call_id: expect.stringMatching(/./) });
      const input = [question, ...getOutput(first), { call_id: call.call_id, ...output }];
      const second = await ask({ model, tools, input, ...reasoning }, stream);
      expect(refusals()).toEqual([]);
      // A search adds tools, and Claude's signatures are only valid for the tools that it had before.
      const isLost = kind === 'tool_search' && model.startsWith('anthropic/');
      expect(textIn(second)).toBe(isLost ? lostTheThread : thoughtThrough);
    },
  );
});

test.each(models)('%s gets a unique, valid name for each tool of a namespace', async (model) => {
  const inner = (name: string) => ({ ...look, name });
  const long = 'find_all_customers_of_a_region_and_their_orders_of_the_last_five_years_with_prices';
  const tools = [
    inner('look'),
    inner('crm__look'),
    { type: 'namespace', name: 'crm', description: 'Customers', tools: [inner('look'), inner(long)] },
    { type: 'namespace', name: 'files.local', description: 'Files', tools: [inner('look')] },
    { type: 'namespace', name: '1password', description: 'Secrets', tools: [inner('look')] },
  ];
  const { ask, calls, refusals } = await open(new ScriptedCall([/^find_all|^crm__find_all/, { id: '1' }]));
  const first = await ask({ model, tools, input: [question] });
  expect([first.error, refusals()]).toEqual([null, []]);
  expect(getOutput(first)).toContainEqual(expect.objectContaining({ name: long, namespace: 'crm' }));
  if (model === 'openai/gpt-5.4') return;
  const sent = JSON.stringify(calls[0]?.body);
  const names = [...sent.matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name);
  expect(new Set(names).size).toBe(6);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
});

test('tools in items are offered like those of the request, and the later one of the same name wins', async () => {
  const { ask, calls } = await open(new ScriptedCall([/./, { id: '1' }]));
  const more = { type: 'additional_tools', role: 'developer', tools: [{ ...look, description: 'Newer' }] };
  const found = { type: 'tool_search_output', call_id: 'call_1', tools: [{ ...look, name: 'weather' }] };
  const search = { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: {} };
  const tools = [look, { type: 'tool_search', execution: 'client' }];
  await ask({ model: 'gpt-4.1', tools, input: [more, question, search, found] });
  await ask({ model: 'openai/gpt-5.4', tools, input: [more, question, search, found] });
  const [everywhere, own] = calls.map(({ body }) => asArray(body.tools).map(asObject));
  expect(everywhere?.map((tool) => asObject(tool.function).name)).toEqual(['look', 'tool_search', 'weather']);
  expect(asObject(everywhere?.[0]?.function).description).toBe('Newer');
  // OpenAI's own models read the tools that a search found from its output.
  expect(own?.map(({ type, name }) => name ?? type)).toEqual(['look', 'tool_search']);
  expect(calls[1]?.body.input).toContainEqual(expect.objectContaining({ ...found, execution: 'client' }));
});

test("a deferred tool stays deferred for OpenAI's own model and is offered directly to other models", async () => {
  const { ask, calls } = await open(new ScriptedCall([/./, { id: '1' }]));
  const later = { ...look, name: 'later', defer_loading: true };
  const search = { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters };
  const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ ...later, name: 'find' }] };
  for (const model of ['openai/gpt-5.4', 'gpt-4.1'])
    await ask({ model, tools: [look, later, crm, search], input: [question] });
  const [own, others] = calls.map(({ body }) => asArray(body.tools).map(asObject));
  expect(own).toMatchObject([
    { name: 'look' },
    { name: 'later', defer_loading: true },
    { type: 'namespace', name: 'crm', tools: [{ name: 'find', defer_loading: true }] },
    { type: 'tool_search', execution: 'client' },
  ]);
  expect(own?.[0]).not.toHaveProperty('defer_loading');
  expect(others).toHaveLength(4);
});

test('messages between agents and searches of earlier answers are accepted', async () => {
  const { ask, calls, refusals } = await open(new ScriptedCall([/./, { id: '1' }]));
  const input = [
    question,
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'rome' } },
    { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: ['a'] } },
    { type: 'tool_search_output', call_id: null, execution: 'server', tools: [{ ...look, name: 'weather' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Rome is warm.' }] },
    { type: 'agent_message', author: '/root', recipient: '/root/a', content: [{ type: 'input_text', text: 'Go on.' }] },
  ];
  await ask({ model: 'gpt-4.1', tools: [look], input });
  expect(refusals()).toEqual([]);
  expect(asArray(calls[0]?.body.messages).map((message) => asObject(message).content)).toEqual([
    'Do it.',
    [{ type: 'text', text: 'Rome is warm.' }],
    'Message from /root:\n\nGo on.',
  ]);
  expect(asArray(calls[0]?.body.tools)).toHaveLength(2);
});

test('parameters marked for encryption by OpenAI are sent as plain parameters', async () => {
  const { ask, calls } = await open(new ScriptedCall([/./, {}]));
  const properties = { message: { type: 'string', encrypted: true }, encrypted: { type: 'boolean' } };
  const tools = [{ ...look, parameters: { type: 'object', properties } }];
  await ask({ model: 'gpt-4.1', tools, input: [question] });
  const [tool] = asArray(calls[0]?.body.tools);
  expect(asObject(asObject(tool).function).parameters).toMatchObject({
    properties: { message: { type: 'string' }, encrypted: { type: 'boolean' } },
  });
  expect(JSON.stringify(tool)).not.toContain('"encrypted":true');
});

describe('a hosted tool of OpenAI', () => {
  const hosted = { type: 'image_generation' };

  test('a hosted tool is left out with a warning when there are other tools', async () => {
    const { ask, calls } = await open(new ScriptedCall([/./, { id: '1' }]));
    const { warnings } = await ask({ model: 'gpt-4.1', tools: [hosted, look], input: [question] });
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'parameter_dropped', param: 'tools[0]' }));
    expect(asArray(calls[0]?.body.tools)).toHaveLength(1);
  });

  test.each<[string, object, string, Record<string, string>?]>([
    ['when it is the only tool', { tools: [hosted] }, 'tools[0].type'],
    ['when its call is forced', { tools: [look, hosted], tool_choice: hosted }, 'tool_choice.type'],
    [
      'when it is among the allowed tools',
      { tools: [look, hosted], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [hosted] } },
      'tool_choice.type',
    ],
    ['when it holds the caller’s documents', { tools: [look, { type: 'file_search' }] }, 'tools[1].type'],
    ['in a strict request', { tools: [look, hosted] }, 'tools[1].type', { 'x-portico-strict': '1' }],
  ])('a hosted tool is refused %s', async (_name, body, param, headers) => {
    const { ask, calls } = await open(new ScriptedCall([/./, {}]));
    const { error } = await ask({ model: 'gpt-4.1', input: [question], ...body }, false, headers);
    expect(error).toMatchObject({ code: 'unsupported_tool_type', param });
    expect(calls).toEqual([]);
  });
});

test.each(models)('%s can be forced to call a custom tool', async (model) => {
  const { ask, calls, refusals } = await open(new ScriptedCall([/^exec$/, 'a']));
  const tools = [look, { type: 'custom', name: 'exec' }];
  const first = await ask({ model, tools, input: [question], tool_choice: { type: 'custom', name: 'exec' } });
  expect([refusals(), getOutput(first).at(-1)?.type]).toEqual([[], 'custom_tool_call']);
  expect(JSON.stringify(calls[0]?.body)).toContain('exec');
});

test.each(models)('%s gets the same from a large request as from a small one', async (model) => {
  const { tools, calls: script, item } = kinds.custom as Kind;
  const { ask, calls, refusals } = await open(script);
  const long = 'x'.repeat(200_000);
  const inner = { type: 'namespace', name: 'crm', description: 'Customers', tools: [look] };
  for (const content of [long, 'hi']) {
    const answer = await ask({ model, tools: [...tools, inner], input: [{ role: 'user', content }] });
    expect(getOutput(answer)).toContainEqual(expect.objectContaining(item));
  }
  expect(refusals()).toEqual([]);
  expect(JSON.stringify(calls[0]?.body).replace(long, 'hi')).toBe(JSON.stringify(calls[1]?.body));
});

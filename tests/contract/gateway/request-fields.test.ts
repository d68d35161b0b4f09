import { describe, expect, test } from 'vitest';
import { openContract, refusal } from './open-contract.ts';

/**
 * Tests every field of a chat request: allowed values, refused values, and that `null` has the
 * same effect as leaving it out.
 */
const { post, sent, upstreamCalls } = openContract();

const user = [{ role: 'user', content: 'hello' }];
const mini = { model: 'openai/gpt-5.4-mini' };
const echo = { model: 'sandbox/echo' };
const tool = { type: 'function', function: { name: 'one' } };
const text = (length: number) => 'x'.repeat(length);

type Value = unknown;
type Bad = readonly [value: Value, code: string, param?: string];

/** Values that both forms accept, and values that are refused with a code. */
const shared: readonly [row: string, field: string, good: readonly Value[], bad: readonly Bad[]][] = [
  [
    '§1.1 provider',
    'provider',
    ['sandbox'],
    [
      ['acme', 'invalid_provider'],
      [{ order: [] }, 'invalid_type'],
    ],
  ],
  [
    '§1.1 model',
    'model',
    ['sandbox/echo', 'echo'],
    [
      ['', 'invalid_value'],
      [text(257), 'invalid_value'],
      [1, 'invalid_type'],
      ['nothing', 'model_not_found'],
    ],
  ],
  [
    '§1.1 temperature',
    'temperature',
    [0, 0.7, 2],
    [
      [-0.1, 'invalid_value'],
      [2.1, 'invalid_value'],
      ['0.7', 'invalid_type'],
    ],
  ],
  [
    '§1.1 max_tokens',
    'max_tokens',
    [1, 100],
    [
      [0, 'invalid_value'],
      [1.5, 'invalid_value'],
      ['9', 'invalid_type'],
      [10_000_000, 'max_tokens_too_large'],
    ],
  ],
  [
    '§1.1 stream',
    'stream',
    [true, false],
    [
      ['true', 'invalid_type'],
      [1, 'invalid_type'],
    ],
  ],
  [
    '§1.1 top_p',
    'top_p',
    [0, 1],
    [
      [-0.1, 'invalid_value'],
      [1.1, 'invalid_value'],
      ['1', 'invalid_type'],
    ],
  ],
  [
    '§1.1 stop',
    'stop',
    ['END', ['a', 'b', 'c', 'd'], text(256)],
    [
      [['a', 'b', 'c', 'd', 'e'], 'invalid_value'],
      ['', 'invalid_value'],
      [text(257), 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  [
    '§1.1 seed',
    'seed',
    [0, -1, 2 ** 53 - 1, 2 ** 63, -(2 ** 63)],
    [
      [1.5, 'invalid_value'],
      [2 ** 64, 'invalid_value'],
      ['1', 'invalid_type'],
    ],
  ],
  [
    '§1.1 frequency_penalty',
    'frequency_penalty',
    [-2, 0, 2],
    [
      [2.1, 'invalid_value'],
      ['1', 'invalid_type'],
    ],
  ],
  [
    '§1.1 presence_penalty',
    'presence_penalty',
    [-2, 0, 2],
    [
      [-2.1, 'invalid_value'],
      ['1', 'invalid_type'],
    ],
  ],
  [
    '§1.1 response_format',
    'response_format',
    [
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
    ],
    [
      [{ type: 'xml' }, 'invalid_value', 'response_format.type'],
      ['text', 'invalid_type'],
      [{ type: 'json_schema' }, 'missing_required_parameter', 'response_format.json_schema'],
    ],
  ],
  [
    '§1.1 tools',
    'tools',
    [[], [tool], Array.from({ length: 128 }, (_, index) => ({ type: 'function', function: { name: `t${index}` } }))],
    [
      [Array.from({ length: 129 }, () => tool), 'invalid_value'],
      [[{ type: 'web_search' }], 'unsupported_tool_type', 'tools[0].type'],
      [[{ type: 'function', function: { name: 'a b' } }], 'invalid_value', 'tools[0].function.name'],
      [[{ type: 'function', function: { name: text(65) } }], 'invalid_value', 'tools[0].function.name'],
    ],
  ],
  [
    '§1.1 tool_choice',
    'tool_choice',
    ['none', 'auto', 'required', { type: 'function', function: { name: 'one' } }],
    [
      ['sometimes', 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  ['§1.1 parallel_tool_calls', 'parallel_tool_calls', [true, false], [['no', 'invalid_type']]],
  [
    '§1.1 reasoning_effort',
    'reasoning_effort',
    ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    [
      ['extreme', 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  [
    '§1.1 user',
    'user',
    ['u', text(256)],
    [
      [text(257), 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  [
    '§1.1 metadata',
    'metadata',
    [{}, Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, text(512)]))],
    [
      [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])), 'invalid_value'],
      [{ [text(65)]: 'v' }, 'invalid_value'],
      [{ k: text(513) }, 'invalid_value', 'metadata.k'],
      [{ k: 1 }, 'invalid_type', 'metadata.k'],
    ],
  ],
  [
    '§1.1 session_id',
    'session_id',
    ['s', text(128)],
    [
      [text(129), 'invalid_value'],
      [1, 'invalid_type'],
    ],
  ],
  [
    '§1.1 route',
    'route',
    [
      {},
      {
        policy: 'best',
        only: ['sandbox/*'],
        ignore: [],
        max_cost_usd: '1',
        require_parameters: false,
        allow_fallbacks: true,
        max_attempts: 4,
      },
    ],
    [
      [{ policy: 'luckiest' }, 'invalid_value', 'route.policy'],
      [{ max_attempts: 5 }, 'invalid_value', 'route.max_attempts'],
      [{ max_attempts: 0 }, 'invalid_value', 'route.max_attempts'],
      [{ max_cost_usd: 1 }, 'invalid_type', 'route.max_cost_usd'],
      [{ max_cost_usd: '-1' }, 'invalid_value', 'route.max_cost_usd'],
      [{ only: 'openai' }, 'invalid_type', 'route.only'],
    ],
  ],
];

describe.each([
  ['/chat', { prompt: 'hello' }],
  ['/v1/chat/completions', { messages: user }],
])('%s', (path, content) => {
  test.each(shared)('%s', async (_row, field, good, bad) => {
    for (const value of [...good, null]) {
      const body = { ...echo, ...content, [field]: value, ...(field === 'tool_choice' ? { tools: [tool] } : {}) };
      const answer = await post(path, body);
      expect([value, answer.status]).toEqual([value, 200]);
      await answer.text();
    }
    for (const [value, code, param = field] of bad) {
      const answer = await refusal(await post(path, { ...echo, ...content, [field]: value }));
      expect({ value, code: answer.code }).toEqual({ value, code });
      if (!(field === 'metadata' && param === field)) expect(answer.param).toBe(param);
    }
  });
});

const complete = (body: object, init: RequestInit = {}) =>
  post('/v1/chat/completions', { messages: user, ...body }, init);
const getCodes = async (response: Response) => {
  const { warnings } = (await response.json()) as { warnings: { code: string; param: string | null }[] };
  return warnings.map(({ code, param }) => `${code}=${param}`);
};

describe('defaults, clamps and warnings', () => {
  test('§1.1 temperature: clamped to what the provider takes, with a warning', async () => {
    expect(await getCodes(await complete({ model: 'anthropic/claude-haiku-4-5', temperature: 1.5 }))).toEqual([
      'temperature_clamped=temperature',
    ]);
    expect(sent()).toMatchObject({ temperature: 1 });
  });

  test('§1.1 temperature: dropped with a warning where the model has no sampling', async () => {
    expect(await getCodes(await complete({ ...mini, temperature: 1 }))).toEqual(['parameter_dropped=temperature']);
    expect(sent()).not.toHaveProperty('temperature');
  });

  test('§1.1 defaults: nothing that was not said is sent', async () => {
    await complete(mini);
    expect(Object.keys(sent()).toSorted()).toEqual(['messages', 'model', 'stream']);
  });

  test('§1.1 user: forwarded hashed, and always the same', async () => {
    await complete({ ...mini, user: 'ada@example.com' });
    const first = sent();
    await complete({ ...mini, user: 'ada@example.com' });
    expect(JSON.stringify(first)).not.toContain('ada');
    expect(sent()).toEqual(first);
  });

  test('§1.1 metadata: not forwarded', async () => {
    await complete({ ...mini, metadata: { secret: 'v' } });
    expect(JSON.stringify(sent())).not.toContain('secret');
  });

  test('§1.0 unknown fields: ignored and reported in header and body', async () => {
    const answer = await complete({ ...mini, max_token: 5 });
    expect(answer.headers.get('x-portico-warnings')).toBe('unknown_parameter=max_token');
    expect(await getCodes(answer)).toEqual(['unknown_parameter=max_token']);
    expect(sent()).not.toHaveProperty('max_token');
  });

  test('§1.0 x-gw-strict: an unknown field is 400', async () => {
    const init = { headers: { 'x-portico-strict': '1' } };
    expect(await refusal(await complete({ ...mini, max_token: 5 }, init))).toEqual({
      status: 400,
      code: 'unknown_parameter',
      param: 'max_token',
    });
  });

  test('§1.0 route.require_parameters: a model without the field is not eligible', async () => {
    const body = { ...mini, temperature: 1, route: { require_parameters: true } };
    expect(await refusal(await complete(body))).toMatchObject({ status: 404, code: 'no_eligible_model' });
  });
});

describe('provider and model', () => {
  const routed = async (body: object, path = '/v1/chat/completions') => {
    const answer = await post(path, { messages: user, ...body });
    const { provider, model, routing, warnings } = await answer.json();
    return {
      provider,
      model,
      policy: routing?.policy,
      warnings: warnings?.map((warning: { code: string }) => warning.code),
    };
  };

  test.each<[string, object, object]>([
    [
      '§1.1 resolution 1: provider "router" ignores a model, with a warning',
      { provider: 'router', model: 'gpt-5.4-mini' },
      { policy: 'balanced', warnings: ['model_ignored'] },
    ],
    [
      '§1.1 resolution 2: a provider alone routes inside it',
      { provider: 'anthropic' },
      { provider: 'anthropic', policy: 'balanced' },
    ],
    [
      '§1.1 resolution 3: a provider with its model, long',
      { provider: 'openai', model: 'openai/gpt-5.4-mini' },
      { provider: 'openai', model: 'gpt-5.4-mini', policy: 'direct' },
    ],
    [
      '§1.1 resolution 3: a provider with its model, short',
      { provider: 'openai', model: 'gpt-5.4-mini' },
      { model: 'gpt-5.4-mini', policy: 'direct' },
    ],
    ['§1.1 resolution 4: nothing at all is the router', {}, { policy: 'balanced', warnings: [] }],
    ['§1.1 resolution 4: model "router"', { model: 'router' }, { policy: 'balanced', warnings: [] }],
    ['§1.1 resolution 4: model "auto"', { model: 'auto' }, { policy: 'balanced', warnings: [] }],
    ['§1.1 resolution 4: model "portico/router"', { model: 'portico/router' }, { policy: 'balanced', warnings: [] }],
    ['§1.1 resolution 5: a long name', { model: 'openai/gpt-5.4-mini' }, { provider: 'openai', policy: 'direct' }],
    [
      '§1.1 resolution 5: a short name that is unique',
      { model: 'gpt-5.4-mini' },
      { provider: 'openai', policy: 'direct' },
    ],
    ['§0.9 %2F is a slash', { model: 'openai%2Fgpt-5.4-mini' }, { provider: 'openai', policy: 'direct' }],
    [
      '§1.4.9 an alias of the configuration comes first',
      { model: 'fast' },
      { provider: 'openai', model: 'gpt-5.4-mini', policy: 'direct' },
    ],
  ])('%s', async (_row, body, expected) => {
    expect(await routed(body)).toMatchObject(expected);
  });

  test('§1.1 resolution 3: another provider’s model is 400', async () => {
    const body = { provider: 'openai', model: 'anthropic/claude-haiku-4-5' };
    expect(await refusal(await complete(body))).toEqual({
      status: 400,
      code: 'provider_model_mismatch',
      param: 'model',
    });
  });
});

describe('/chat', () => {
  const chat = (body: object) => post('/chat', { ...echo, ...body });
  test.each<[string, object, object]>([
    ['§1.2 prompt: required', {}, { code: 'missing_required_parameter', param: 'prompt' }],
    ['§1.2 prompt: not only whitespace', { prompt: ' \n' }, { code: 'invalid_value', param: 'prompt' }],
    [
      '§1.2 prompt: at most 2 000 000 characters',
      { prompt: text(2_000_001) },
      { code: 'invalid_value', param: 'prompt' },
    ],
    [
      '§1.2 system: at most 200 000 characters',
      { prompt: 'x', system: text(200_001) },
      { code: 'invalid_value', param: 'system' },
    ],
    [
      '§1.2 files: at most 20 parts',
      { prompt: 'x', files: Array.from({ length: 21 }, () => ({ type: 'text', text: 'x' })) },
      { code: 'invalid_value', param: 'files' },
    ],
    [
      '§1.2 messages: refused, never ignored',
      { prompt: 'x', messages: user },
      { code: 'unsupported_parameter', param: 'messages' },
    ],
  ])('%s', async (_row, body, expected) => {
    expect(await refusal(await chat(body))).toMatchObject({ status: 400, ...expected });
  });

  test('§1.2 system: is the system message', async () => {
    await post('/chat', { ...mini, prompt: 'x', system: 'be brief' });
    expect(JSON.stringify(sent().messages)).toContain('be brief');
  });

  test('§1.2 /chat and /api/chat: identical answers apart from ids', async () => {
    const same = async (path: string) => {
      const { id, routing, ...answer } = await (await post(path, { ...echo, prompt: 'hello' })).json();
      return { ...answer, id: id.length, selected: routing.selected };
    };
    expect(await same('/api/chat')).toEqual(await same('/chat'));
  });
});

describe('/v1/chat/completions', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'one', arguments: '{}' } };
  test.each<[string, object, object]>([
    ['§1.3 messages: required', { messages: undefined }, { code: 'missing_required_parameter', param: 'messages' }],
    ['§1.3 messages: not empty', { messages: [] }, { code: 'invalid_value', param: 'messages' }],
    [
      '§1.3 messages: at most 2 048',
      { messages: Array.from({ length: 2049 }, () => user[0]) },
      { code: 'invalid_value', param: 'messages' },
    ],
    ['§1.3 messages: prompt is refused', { prompt: 'x' }, { code: 'unsupported_parameter', param: 'prompt' }],
    [
      '§1.3 max_completion_tokens: at least 1',
      { max_completion_tokens: 0 },
      { code: 'invalid_value', param: 'max_completion_tokens' },
    ],
    [
      '§1.3 max_completion_tokens: may not differ from max_tokens',
      { max_tokens: 5, max_completion_tokens: 6 },
      { code: 'invalid_value', param: 'max_completion_tokens' },
    ],
    [
      '§1.3 stream_options: only with stream',
      { stream_options: { include_usage: true } },
      { code: 'invalid_value', param: 'stream_options' },
    ],
    ['§1.3 n: only 1', { n: 2 }, { code: 'unsupported_value', param: 'n' }],
    [
      '§1.3 modalities: no audio answers',
      { modalities: ['text', 'audio'] },
      { code: 'unsupported_value', param: 'modalities' },
    ],
    ['§1.3 functions: use tools', { functions: [] }, { code: 'unsupported_parameter', param: 'functions' }],
    [
      '§1.3 function_call: use tools',
      { function_call: 'auto' },
      { code: 'unsupported_parameter', param: 'function_call' },
    ],
    [
      '§1.3 role user: content is required',
      { messages: [{ role: 'user' }] },
      { code: 'missing_required_parameter', param: 'messages[0].content' },
    ],
    [
      '§1.3 role assistant: null content only beside tool_calls',
      { messages: [...user, { role: 'assistant', content: null }] },
      { code: 'missing_required_parameter', param: 'messages[1].content' },
    ],
    [
      '§1.3 role tool: tool_call_id is required',
      { messages: [...user, { role: 'tool', content: 'x' }] },
      { code: 'missing_required_parameter', param: 'messages[1].tool_call_id' },
    ],
    [
      '§1.3 role tool: must answer an earlier call',
      { messages: [...user, { role: 'tool', tool_call_id: 'no', content: 'x' }] },
      { code: 'invalid_tool_call_id', param: 'messages[1].tool_call_id' },
    ],
    [
      '§1.3 other roles are 400',
      { messages: [{ role: 'function', name: 'f', content: 'x' }] },
      { code: 'invalid_role', param: 'messages[0].role' },
    ],
  ])('%s', async (_row, body, expected) => {
    const before = upstreamCalls();
    expect(await refusal(await complete({ ...mini, ...body }))).toMatchObject({ status: 400, ...expected });
    expect(upstreamCalls()).toBe(before);
  });

  test.each<[string, object, object]>([
    [
      '§1.3 max_completion_tokens: the same as max_tokens is fine',
      { max_tokens: 50, max_completion_tokens: 50 },
      { max_completion_tokens: 50 },
    ],
    ['§1.3 max_completion_tokens: alone', { max_completion_tokens: 60 }, { max_completion_tokens: 60 }],
    ['§1.3 n: 1', { n: 1 }, { model: 'gpt-5.4-mini' }],
    [
      '§1.3 role system: anywhere, merged in order',
      {
        messages: [
          { role: 'system', content: 'a' },
          ...user,
          { role: 'developer', content: [{ type: 'text', text: 'b' }] },
        ],
      },
      {
        messages: expect.arrayContaining([
          expect.objectContaining({ role: expect.stringMatching(/system|developer/) }),
        ]),
      },
    ],
    [
      '§1.3 role assistant: tool_calls and their results',
      {
        messages: [
          ...user,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: 'x' },
        ],
      },
      { messages: expect.arrayContaining([expect.objectContaining({ role: 'tool', tool_call_id: 'call_1' })]) },
    ],
    ['§1.3 logit_bias: passed to OpenAI models', { logit_bias: { 1: 2 } }, { logit_bias: { 1: 2 } }],
    [
      '§1.3 prediction: passed to OpenAI models',
      { prediction: { type: 'content', content: 'x' } },
      { prediction: { type: 'content' } },
    ],
    ['§1.3 service_tier: passed to OpenAI models', { service_tier: 'flex' }, { service_tier: 'flex' }],
    ['§1.3 verbosity: passed to OpenAI models', { verbosity: 'low' }, { verbosity: 'low' }],
  ])('%s', async (_row, body, expected) => {
    expect((await complete({ ...mini, ...body })).status).toBe(200);
    expect(sent()).toMatchObject(expected);
  });

  test.each(['logit_bias', 'prediction', 'service_tier', 'verbosity'])(
    '§1.3 %s: dropped with a warning by other models',
    async (name) => {
      expect(await getCodes(await complete({ model: 'anthropic/claude-haiku-4-5', [name]: { a: 1 } }))).toEqual([
        `parameter_dropped=${name}`,
      ]);
      expect(sent()).not.toHaveProperty(name);
    },
  );

  test('§1.3 store: dropped with a warning, because nothing is stored', async () => {
    expect(await getCodes(await complete({ ...mini, store: true }))).toEqual(['parameter_dropped=store']);
    expect(sent().store ?? false).toBe(false);
  });
});

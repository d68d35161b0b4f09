import fc from 'fast-check';
import { operations } from '../../gateway/api/openapi/document.ts';
import { examples } from '../../gateway/api/openapi/examples.ts';
import { routePolicies } from '../../gateway/http/policies.ts';

/** An HTTP request from someone who looks for bugs: almost correct, or nothing like a real request. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The index of one of the test's credentials, a credential of its own, or none. */
  readonly credential: number | string | null;
  /** The policy of the route that the request is based on, such as `POST /chat`; null if the path is invented. */
  readonly policy: string | null;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const called = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };

/**
 * For each form, bodies with as many fields as it allows. Changes to them reach the code that
 * adapts a request for a provider.
 */
const full: Readonly<Record<string, readonly Json[]>> = {
  ChatRequest: [
    {
      model: 'sandbox/echo',
      prompt: 'hi',
      system: 'Be short.',
      temperature: 0.5,
      max_tokens: 9,
      stop: ['x'],
      stream: true,
    },
    {
      provider: 'router',
      prompt: 'hi',
      route: { policy: 'cheapest', max_cost_usd: '0.01' },
      metadata: { a: 'b' },
      user: 'u',
    },
  ],
  ChatCompletionRequest: [
    {
      model: 'openai/gpt-5.4-mini',
      messages: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: picture } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [called] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
      tools: [
        { type: 'function', function: { name: 'weather', description: 'Of a city', parameters: schema, strict: true } },
      ],
      tool_choice: 'auto',
      max_tokens: 20,
    },
    {
      model: 'anthropic/claude-opus-5',
      messages: [{ role: 'user', content: 'hi' }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
      max_completion_tokens: 64,
    },
    {
      model: 'google/gemini-3.6-flash',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 1,
      top_p: 0.9,
      seed: 7,
      stop: ['\n'],
      n: 1,
      frequency_penalty: 0.1,
      logit_bias: { '50256': -100 },
      max_tokens: 12,
      byoapi_key: 'sk-own-key-of-the-caller',
    },
    { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }], stream: true, models: ['sandbox/echo'] },
  ],
  ResponsesRequest: [
    {
      model: 'openai/gpt-5.4-mini',
      instructions: 'Be short.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
      ],
      tools: [{ type: 'function', name: 'weather', parameters: schema }],
      text: { format: { type: 'json_schema', name: 'answer', schema } },
      max_output_tokens: 30,
      stream: true,
    },
  ],
  MessagesRequest: [
    {
      model: 'anthropic/claude-opus-5',
      max_tokens: 30,
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
      ],
      tools: [{ name: 'weather', description: 'Of a city', input_schema: schema }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      stop_sequences: ['x'],
    },
    { model: 'sandbox/echo', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], stream: true },
  ],
};

/** Values that have the wrong type, are out of bounds or are confusing in another way. */
const odd: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, '', ' ', [], {}, [[]], [null]),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Json>(
      ...[
        '__proto__',
        'constructor',
        '\u0000',
        '\ud800',
        '🧱'.repeat(50),
        '../../etc/passwd',
        'http://169.254.169.254/',
      ],
      ...[
        'data:image/png;base64,',
        'data:,x',
        "' or 1=1 --",
        'NaN',
        '1e400',
        '-0',
        '0x10',
        '9'.repeat(40),
        'router',
        'openai/',
      ],
      ...[
        'x'.repeat(5_000),
        'a/b/c',
        'sandbox/echo',
        'assistant',
        'function',
        '{"a":',
        '<script>',
        '%s%n',
        '\r\nSet-Cookie: a=b',
      ],
    ),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 80 }).map(nested) },
);

function nested(depth: number): Json {
  let value: Json = {};
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}

const change = fc.record({
  /** The path down the body: on each level the n-th entry, until there is none or the path ends. */
  way: fc.array(fc.nat(12), { minLength: 1, maxLength: 7 }),
  what: fc.constantFrom('replace', 'remove', 'repeat', 'add'),
  name: fc.constantFrom('__proto__', 'constructor', 'toString', 'stream', 'n', 'model', 'x', ''),
  value: odd,
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

function changed(value: Json, { way: path, what: action, name, value: other }: Change, level = 0): Json {
  const entries = value !== null && typeof value === 'object' ? Object.entries(value) : [];
  const step = path[level];
  if (step === undefined || entries.length === 0)
    return action === 'add' && isRecord(value) ? { ...value, [name]: other } : other;
  const position = step % entries.length;
  const last = level === path.length - 1;
  const rewritten = entries.flatMap(([key, inner], index): [string, Json][] => {
    if (index !== position) return [[key, inner]];
    if (last && action === 'remove') return [];
    if (last && action === 'repeat')
      return [
        [key, inner],
        [key, inner],
      ];
    return [
      [
        key,
        last && action === 'replace'
          ? other
          : changed(inner, { way: path, what: action, name, value: other }, level + 1),
      ],
    ];
  });
  return Array.isArray(value) ? rewritten.map(([, inner]) => inner) : Object.fromEntries(rewritten);
}

const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Turns a body into bytes: usually JSON, sometimes cut off or random. */
const getBytes = (json: Json) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(Buffer.from(JSON.stringify(json))) },
    { weight: 1, arbitrary: fc.nat(60).map((end) => Buffer.from(JSON.stringify(json)).subarray(0, end)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(`\ufeff${JSON.stringify(json)}`)) },
  );

const ids = fc.constantFrom(
  'x',
  'openai/gpt-5.4-mini',
  'router',
  'req_01KA8Z7N4R6W8T0V2X4Y6Z8A0C',
  '%00',
  '..%2f',
  '%ff',
  '__proto__',
  'a'.repeat(300),
);
const queryName = fc.constantFrom(
  'limit',
  'after',
  'before',
  'starting_after',
  'from',
  'to',
  'group_by',
  'timezone',
  'model',
  'capability',
  'type',
  'key',
  'x',
);
const queryValue = fc.constantFrom(
  '',
  '0',
  '-1',
  '1',
  '100',
  '1e9',
  '9'.repeat(30),
  'NaN',
  '2026-11-24',
  '1795197403',
  'model',
  'Europe/Rome',
  'Mars/Base',
  '%00',
  '%E0%A4%A',
  "'",
  'true',
  'x'.repeat(400),
);
const query = fc
  .array(fc.tuple(queryName, queryValue), { maxLength: 4 })
  .map((pairs) => (pairs.length ? `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}` : ''));

const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'idempotency-key',
    'x-request-id',
    'origin',
    'anthropic-version',
    'traceparent',
    'x-portico-purpose',
    'x-forwarded-for',
    'content-encoding',
    'range',
    'if-none-match',
  ),
  fc.constantFrom(
    '',
    '*/*',
    'gzip',
    'a',
    'text/html',
    'https://evil.example',
    '127.0.0.1, 10.0.0.1',
    'x'.repeat(300),
    '"a"',
    'bytes=0-1',
  ),
  { maxKeys: 2 },
);
const credential = fc.oneof(
  { weight: 14, arbitrary: fc.nat(1_000) },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Bearer',
      'Bearer x',
      'Basic eDp5',
      'ApiKey sk-portico-x',
      'Bearer a.b.c',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
    ),
  },
);

/** Routes that read a large body get more requests. */
const routes = routePolicies.flatMap((policy) => (policy.access === 'chat' ? [policy, policy, policy] : [policy]));

/** Generates a request to any of the routes, and now and then to a path that doesn't exist. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...routes).chain(({ method, path }) => fromRoute(method, path)) },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
      target: fc.constantFrom(
        '/',
        '//',
        '/v1/',
        '/v2',
        '/V1/models',
        '/v1/chat/completions/x',
        '/.git/config',
        '/v1/models/..',
        '/%2e%2e/x',
        '/healthz?x',
        '/metrics',
        `/${'a'.repeat(9_000)}`,
      ),
      headers,
      body: fc.constant(null),
      credential,
      policy: fc.constant(null),
    }),
  },
);

function fromRoute(method: string, path: string): fc.Arbitrary<HostileRequest> {
  const policy = `${method} ${path}`;
  const names = operations[policy]?.request ?? [];
  const bodies = names.flatMap((name) => [...(full[name] ?? []), examples[name] as Json]);
  const json = bodies.length
    ? fc
        .tuple(fc.constantFrom(...bodies), fc.array(change, { maxLength: 3 }))
        .map(([body, changes]) => changes.reduce<Json>((now, change) => changed(now, change), body))
    : fc.constant<Json>({});
  const body = method === 'GET' ? fc.constant(null) : json.chain(getBytes);
  const type = fc.oneof(
    { weight: 14, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/plain',
        '',
        'application/json; charset=latin1',
        'multipart/form-data; boundary=x',
      ),
    },
  );
  const target = fc.tuple(ids, query).map(([id, words]) => `${path.replace('*', id)}${words}`);
  const spoken = fc.oneof(
    { weight: 20, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom('PUT', 'OPTIONS', 'HEAD', 'DELETE') },
  );
  return fc
    .record({ method: spoken, target, headers, body, type, credential })
    .map(({ type: contentType, headers: more, ...rest }) => ({
      ...rest,
      headers: rest.body === null ? more : { ...more, 'content-type': contentType },
      policy,
    }));
}

import { beforeAll, describe, expect, test } from 'vitest';
import { openContract, refusal } from './open-contract.ts';

/** Tests every member of every record, every query of every list, and the headers of every answer. */
const { call, post, newKey, operator } = openContract();

const messages = [{ role: 'user', content: 'hello' }];
const mini = { model: 'openai/gpt-5.4-mini', messages };
const path = '/v1/chat/completions';
type Json = Record<string, unknown>;
let key: string;
/** One answer of each endpoint, by the row that describes it. */
const answers: Record<string, Json> = {};
const headers: Record<string, Headers> = {};

beforeAll(async () => {
  key = await newKey({ plan: 'pro' });
  const take = async (row: string, response: Promise<Response>) => {
    const answer = await response;
    answers[row] = (await answer.json()) as Json;
    headers[row] = answer.headers;
  };
  await take(
    'completion',
    post(path, { ...mini, user: 'ada', metadata: { purpose: 'chat', conversation_id: 'c1' } }, { key }),
  );
  await take('chat', post('/chat', { model: 'openai/gpt-5.4-mini', prompt: 'hello' }, { key }));
  await take('quote', post('/v1/quote', mini, { key }));
  await take('created', post('/v1/keys', { label: 'ci' }, { key }));
  const list: [string, string, RequestInit?][] = [
    ['models', '/models'],
    ['model', '/v1/models/openai/gpt-5.4-mini'],
    ['account', '/account'],
    ['usage', '/v1/usage'],
    ['credits', '/credits'],
    ['verify', '/v1/auth/verify', { method: 'POST' }],
    ['requests', '/v1/requests'],
    ['keys', '/v1/keys'],
    ['info', '/v1'],
  ];
  for (const [row, url, init] of list) await take(row, call(url, { key, ...init }));
});

/** Returns the value at a dotted path; `0` takes the first item of a list. */
const valueAt = (row: string, dotted: string) =>
  dotted === ''
    ? answers[row]
    : dotted.split('.').reduce<unknown>((value, name) => Reflect.get(value as object, name), answers[row]);

const counters =
  'requests succeeded failed cancelled prompt_tokens cached_tokens completion_tokens reasoning_tokens total_tokens cost_usd unknown_cost_requests unfinished_requests byok_requests byok_upstream_cost_usd';

test.each([
  [
    '§1.2 response',
    'chat',
    '',
    'id object created text provider model tokens finish_reason tool_calls cost_usd byok routing warnings',
  ],
  [
    '§1.2 response tokens',
    'chat',
    'tokens',
    'prompt_tokens completion_tokens total_tokens cached_tokens reasoning_tokens',
  ],
  [
    '§1.3 response',
    'completion',
    '',
    'id object created model provider system_fingerprint choices usage byok routing warnings',
  ],
  ['§1.3 response choice', 'completion', 'choices.0', 'index message logprobs finish_reason'],
  ['§1.3 response message', 'completion', 'choices.0.message', 'role content refusal'],
  [
    '§1.3 response usage',
    'completion',
    'usage',
    'prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details cost_usd upstream_cost_usd estimated',
  ],
  [
    '§1.3 response prompt_tokens_details',
    'completion',
    'usage.prompt_tokens_details',
    'cached_tokens cache_write_tokens audio_tokens',
  ],
  [
    '§1.3 response completion_tokens_details',
    'completion',
    'usage.completion_tokens_details',
    'reasoning_tokens audio_tokens accepted_prediction_tokens rejected_prediction_tokens',
  ],
  ['§5.6 routing', 'completion', 'routing', 'policy selected upstream_model attempts reason catalog_version'],
  ['§5.6 routing attempt', 'completion', 'routing.attempts.0', 'provider model status code latency_ms'],
  ['§1.8 list of models', 'models', '', 'object data first_id last_id has_more'],
  [
    '§2.1 Model',
    'model',
    '',
    'id object created owned_by provider model name description kind status unavailable_reason context_length max_output_tokens architecture capabilities supported_parameters pricing limits quality deprecation_date shutdown_date aliases',
  ],
  ['§2.1 Model architecture', 'model', 'architecture', 'input_modalities output_modalities'],
  [
    '§2.1 Model pricing',
    'model',
    'pricing',
    'currency unit prompt completion input_cache_read input_cache_write request image tiers as_of source',
  ],
  ['§2.1 Model limits', 'model', 'limits', 'max_images max_request_bytes'],
  ['§2.2 Account', 'account', '', 'object id name email created status plan balance usage credential'],
  ['§2.2 Account plan', 'account', 'plan', 'id name renews_at features limits'],
  [
    '§2.2 Account plan limits',
    'account',
    'plan.limits',
    'requests_per_minute tokens_per_minute concurrent_requests requests_per_day monthly_spend_usd max_output_tokens models',
  ],
  ['§2.2 Account balance', 'account', 'balance', 'currency amount held available total_granted total_used'],
  ['§2.2 Account usage', 'account', 'usage', 'period requests prompt_tokens completion_tokens total_tokens cost_usd'],
  ['§2.2 Account usage period', 'account', 'usage.period', 'type start end'],
  ['§2.2 Account credential', 'account', 'credential', 'type id label prefix scopes'],
  ['§2.3 Usage', 'usage', '', 'object period totals group_by data has_more first_id last_id limits'],
  ['§2.3 Usage totals', 'usage', 'totals', counters],
  ['§2.3 Usage bucket', 'usage', 'data.0', `object provider model day ${counters}`],
  ['§2.3 Usage limit', 'usage', 'limits.0', 'name limit used remaining resets_at'],
  ['§2.4 Credits', 'credits', '', 'object currency balance held available total_granted total_used transactions'],
  ['§2.4 Credits transactions', 'credits', 'transactions', 'object data first_id last_id has_more'],
  [
    '§2.4 Credits transaction',
    'credits',
    'transactions.data.0',
    'id object type amount balance_after currency created description request_id provider model estimated',
  ],
  ['§2.5 Auth verification', 'verify', '', 'object valid credential account'],
  [
    '§2.5 Auth verification credential',
    'verify',
    'credential',
    'type id label prefix scopes created expires_at last_used_at',
  ],
  ['§10 GET /v1', 'info', '', 'object version extensions'],
  ['§10 quote', 'quote', '', 'object provider model routing tokens cost_usd prices_as_of limits'],
  ['§10 quote tokens', 'quote', 'tokens', 'prompt cached completion'],
  ['§10 quote cost', 'quote', 'cost_usd', 'low high'],
  [
    '§10 request',
    'requests',
    'data.0',
    'id object created provider model status purpose conversation_id prompt_tokens completion_tokens total_tokens cached_tokens cache_write_tokens reasoning_tokens cost_usd upstream_cost_usd price routing latency_ms key_id metadata',
  ],
  ['§10 request price', 'requests', 'data.0.price', 'currency unit prompt completion as_of source'],
  [
    '§10 key',
    'keys',
    'data.0',
    'id object label prefix scopes status created expires_at revoked_at last_used_at spend_limit_usd spent_usd held_usd',
  ],
  [
    '§10 key, created',
    'created',
    '',
    'id object label prefix scopes status created expires_at revoked_at last_used_at spend_limit_usd spent_usd held_usd key',
  ],
])('%s has all its members', (_row, answer, where, members) => {
  const record = valueAt(answer, where) as Json;
  expect(Object.keys(record)).toEqual(expect.arrayContaining(members.split(' ')));
  for (const [name, value] of Object.entries(record)) {
    if (name.endsWith('_usd') && value !== null && typeof value !== 'object')
      expect(value).toMatch(/^-?\d+(\.\d{1,9})?$/);
    if (['created', 'start', 'end', 'expires_at', 'resets_at', 'renews_at'].includes(name) && value !== null) {
      expect(Number.isInteger(value)).toBe(true);
      expect(value).toBeLessThan(1e11);
    }
  }
});

test.each([
  ['§1.0 id req_', 'completion', 'x-request-id', /^req_[0-9A-HJKMNP-TV-Z]{26}$/],
  ['§1.0 header Content-Type', 'account', 'content-type', /^application\/json; charset=utf-8$/],
  ['§1.0 header Cache-Control', 'account', 'cache-control', /^no-store$/],
  ['§1.0 header x-content-type-options', 'account', 'x-content-type-options', /^nosniff$/],
  ['§1.0 header x-gw-provider', 'chat', 'x-portico-provider', /^openai$/],
  ['§1.0 header x-gw-model', 'chat', 'x-portico-model', /^gpt-5.4-mini$/],
  ['§1.0 header x-gw-attempts', 'chat', 'x-portico-attempts', /^1$/],
  ['§1.0 header x-gw-route', 'chat', 'x-portico-route', /^policy=direct$/],
  ['§7 header x-ratelimit-limit-requests', 'chat', 'x-ratelimit-limit-requests', /^300$/],
  ['§7 header x-ratelimit-remaining-requests', 'chat', 'x-ratelimit-remaining-requests', /^29\d$/],
  ['§7 header x-ratelimit-reset-requests', 'chat', 'x-ratelimit-reset-requests', /^(\d+m)?\d+(\.\d+)?m?s$/],
  ['§7 header x-ratelimit-limit-tokens', 'chat', 'x-ratelimit-limit-tokens', /^400000$/],
  ['§7 header x-ratelimit-remaining-tokens', 'chat', 'x-ratelimit-remaining-tokens', /^39\d{4}$/],
  ['§7 header x-ratelimit-reset-tokens', 'chat', 'x-ratelimit-reset-tokens', /^(\d+m)?\d+(\.\d+)?m?s$/],
  ['§8 header x-gw-version', 'models', 'x-portico-version', /^\d+\.\d+\.\d+/],
])('%s', (_row, answer, name, value) => {
  expect(headers[answer]?.get(name)).toMatch(value);
});

test('§1.0 header X-Client-Request-Id: echoed, at most 128 characters', async () => {
  const echoed = async (id: string) =>
    (await call('/account', { key, headers: { 'x-client-request-id': id } })).headers.get('x-client-request-id');
  expect([await echoed('mine'), await echoed('x'.repeat(128)), await echoed('x'.repeat(129))]).toEqual([
    'mine',
    'x'.repeat(128),
    null,
  ]);
});

test('§1.0 header x-gw-route-detail: full explains every candidate', async () => {
  const ask = async (init: RequestInit) =>
    (await (await post(path, { messages, provider: 'router' }, { key, ...init })).json()).routing.candidates;
  expect(await ask({})).toBeUndefined();
  const candidates = await ask({ headers: { 'x-portico-route-detail': 'full' } });
  expect(candidates.length).toBeGreaterThan(40);
  for (const candidate of candidates)
    expect(candidate).toHaveProperty('score' in candidate ? 'parts.quality' : 'excluded');
});

test.each([
  ['§1.0 id chat_', 'chat', 'id', /^chat_[0-9A-Z]{26}$/],
  ['§1.0 id chatcmpl-', 'completion', 'id', /^chatcmpl-[0-9A-Z]{26}$/],
  ['§1.0 id acct_', 'account', 'id', /^acct_[0-9A-Z]{26}$/],
  ['§1.0 id key_', 'account', 'credential.id', /^key_[0-9A-Z]{26}$/],
  ['§1.0 id txn_', 'credits', 'transactions.data.0.id', /^txn_[0-9A-Z]{26}$/],
  ['§4.1 API key', 'created', 'key', /^sk-portico-[0-9A-Za-z]{45}$/],
])('%s', (_row, answer, where, value) => {
  expect(valueAt(answer, where)).toMatch(value);
});

test.each([
  ['§1.8 query provider', '/models?provider=anthropic', /^anthropic\//],
  ['§1.8 query input_modality', '/models?input_modality=audio', /^(google\/|router$)/],
  ['§1.8 query min_context', '/models?min_context=1000000', /gpt-|claude-|gemini-|router|grok/],
  [
    '§1.8 query max_price',
    '/models?max_price=0.0000005',
    /nano|lite|mini|luna|flash|haiku|sandbox|router|^openai\/text-embedding-3-|^google\/gemini-embedding|^mistral\/mistral-embed/,
  ],
  ['§1.8 query q', '/models?q=haiku', /haiku/],
  [
    '§1.8 query include_unavailable',
    '/models?include_unavailable=false',
    /^(openai|anthropic|openai-compatible|sandbox)\/|^router$/,
  ],
])('%s', async (_row, url, ids) => {
  const { data } = await (await call(url, { key: await newKey() })).json();
  expect(data.length).toBeGreaterThan(0);
  for (const { id } of data) expect(id).toMatch(ids);
});

test.each([
  ['§1.8 query capability', '/models?capability=audio,tools'],
  ['§1.8 query capability, repeated', '/models?capability=audio&capability=tools'],
])('%s', async (_row, url) => {
  const { data } = await (await call(url, { key: await newKey() })).json();
  const all = await (await call('/models', { key: await newKey() })).json();
  const able = all.data.filter(({ capabilities }: { capabilities: string[] }) =>
    ['audio', 'tools'].every((name) => capabilities.includes(name)),
  );
  expect(data).toEqual(able);
  expect(able.length).toBeGreaterThan(0);
});

test.each([
  ['§1.8 query sort=id', 'id', (model: Json) => model.id],
  ['§1.8 query sort=price', 'price', (model: Json) => Number((model.pricing as Json)?.prompt)],
  ['§1.8 query sort=-price', '-price', (model: Json) => -Number((model.pricing as Json)?.prompt)],
  ['§1.8 query sort=context', 'context', (model: Json) => model.context_length],
  ['§1.8 query sort=-context', '-context', (model: Json) => -Number(model.context_length)],
])('%s', async (_row, sort, value) => {
  const { data } = await (await call(`/models?provider=openai&sort=${sort}`, { key: await newKey() })).json();
  const values = data.filter(({ kind }: Json) => kind === 'chat').map(value);
  expect(values).toEqual(values.toSorted((a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)));
});

test.each([
  ['§1.9 model_id long', 'openai/gpt-5.4-mini', 'openai/gpt-5.4-mini'],
  ['§1.9 model_id with %2F', 'openai%2Fgpt-5.4-mini', 'openai/gpt-5.4-mini'],
  ['§1.9 model_id bare', 'gpt-5.4-mini', 'openai/gpt-5.4-mini'],
  ['§1.9 model_id router', 'router', 'router'],
  ['§1.9 model_id alias', 'fast', 'openai/gpt-5.4-mini'],
])('%s', async (_row, id, found) => {
  expect((await (await call(`/v1/models/${id}`, { key })).json()).id).toBe(found);
});

test.each([
  ['§2.3 query start,end days', '/v1/usage?start=2026-11-01&end=2026-11-30'],
  ['§2.3 query start,end seconds', '/v1/usage?start=1790000000&end=1790086400'],
  ['§2.3 query group_by=day', '/v1/usage?group_by=day'],
  ['§2.3 query group_by=model', '/v1/usage?group_by=model'],
  ['§2.3 query group_by=provider', '/v1/usage?group_by=provider'],
  ['§2.3 query group_by=key', '/v1/usage?group_by=key'],
  ['§2.3 query group_by=status', '/v1/usage?group_by=status'],
  ['§2.3 query provider', '/v1/usage?provider=openai'],
  ['§2.3 query model', '/v1/usage?model=openai/gpt-5.4-mini'],
  ['§2.3 query key', '/v1/usage?key=key_0'],
  ['§2.3 query byok', '/v1/usage?byok=true'],
  ['§2.4 query type', '/credits?type=usage'],
  ['§2.4 query start,end', '/v1/credits?start=2026-11-01&end=2026-11-30'],
  ['§1.0 query limit', '/v1/requests?limit=1'],
  ['§1.0 query order', '/v1/requests?order=asc'],
])('%s', async (_row, url) => {
  const answer = await call(url, { key });
  expect([answer.status, answer.headers.get('x-portico-warnings')]).toEqual([200, null]);
});

test.each([
  ['§1.0 query limit: 1 to 100', '/v1/requests?limit=101', 'limit'],
  ['§1.0 query order: asc or desc', '/v1/requests?order=up', 'order'],
  ['§1.0 query after and before: not both', '/v1/requests?after=req_1&before=req_2', 'before'],
  ['§2.3 query: at most 400 days', '/v1/usage?start=2020-01-01&end=2026-01-01', 'start'],
  ['§2.3 query group_by: one of five', '/v1/usage?group_by=hour', 'group_by'],
  ['§2.4 query type: one of seven', '/credits?type=gift', 'type'],
])('%s', async (_row, url, param) => {
  expect(await refusal(await call(url, { key }))).toEqual({ status: 400, code: 'invalid_query_parameter', param });
});

test('§1.0 query: unknown keys are ignored with a warning', async () => {
  const answer = await call('/account?colour=red', { key });
  const list = await call('/v1/requests?colour=red', { key });
  expect([answer.status, list.status, list.headers.get('x-portico-warnings')]).toEqual([
    200,
    200,
    'unknown_parameter=colour',
  ]);
});

describe('scopes', () => {
  const routes = {
    chat: [
      ['POST', '/chat'],
      ['POST', '/api/chat'],
      ['POST', path],
      ['POST', '/v1/quote'],
    ],
    models: [
      ['GET', '/models'],
      ['GET', '/v1/models'],
      ['GET', '/v1/models/router'],
    ],
    account: [
      ['GET', '/account'],
      ['GET', '/credits'],
      ['GET', '/v1/credits'],
      ['GET', '/v1/usage'],
      ['GET', '/v1/requests'],
      ['GET', '/v1/keys'],
    ],
  } as const;
  test.each([
    ['§4.5 scope chat', 'chat'],
    ['§4.5 scope models', 'models'],
    ['§4.5 scope account', 'account'],
  ] as const)('%s reaches its endpoints and verify, and no other', async (_row, scope) => {
    const scoped = await newKey({ scopes: [scope] });
    for (const [name, list] of Object.entries(routes)) {
      for (const [method, url] of list) {
        const body = url.includes('completions') ? { ...mini } : { ...mini, messages: undefined, prompt: 'hello' };
        const init =
          method === 'POST'
            ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
            : { method };
        const answer = await call(url, { ...init, key: scoped });
        expect([url, answer.status]).toEqual([url, name === scope ? 200 : 403]);
        if (name !== scope)
          expect(answer.headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${name}"`);
      }
    }
    expect((await call('/v1/auth/verify', { method: 'POST', key: scoped })).status).toBe(200);
  });
});

describe('route controls', () => {
  const route = async (controls: object, getHeaders: Record<string, string> = {}) => {
    const answer = await post(path, { messages, route: controls }, { key: await newKey(), headers: getHeaders });
    return { status: answer.status, body: await answer.json() };
  };
  test.each([
    ['§5.2 policy balanced', { policy: 'balanced' }],
    ['§5.2 policy cheapest', { policy: 'cheapest' }],
    ['§5.2 policy fastest', { policy: 'fastest' }],
    ['§5.2 policy best', { policy: 'best' }],
  ])('%s', async (_row, controls) => {
    expect((await route(controls)).body.routing.policy).toBe(controls.policy);
  });

  test('§5.2 only', async () => {
    expect((await route({ only: ['anthropic/*haiku-4*'] })).body.routing.selected).toBe('anthropic/claude-haiku-4-5');
  });

  test('§5.2 ignore', async () => {
    const first = (await route({})).body.routing.selected as string;
    expect((await route({ ignore: [first] })).body.routing.selected).not.toBe(first);
    expect((await route({ ignore: ['openai', 'openai-compatible'] })).body.provider).toBe('anthropic');
  });

  test('§5.2 max_cost_usd', async () => {
    const { status, body } = await route({ max_cost_usd: '0.000000001' });
    expect([status, body.error.code]).toEqual([404, 'no_eligible_model']);
    expect(JSON.stringify(body.error.details.excluded)).toContain('max_cost');
  });

  test('§5.2 allow_fallbacks', async () => {
    const only = ['openai-compatible/status-500.0', 'anthropic/*'];
    const { status, body } = await route({ only: only.slice(0, 1), allow_fallbacks: false });
    expect([status, body.error.code]).toEqual([502, 'upstream_error']);
  });

  test('§5.2 max_attempts', async () => {
    const only = ['openai-compatible/status-5*', 'openai-compatible/reset*', 'openai-compatible/nonsense*'];
    const { body } = await route({ only, max_attempts: 1 });
    expect(body.error.status_code).toBeGreaterThanOrEqual(500);
  });
});

test.each([
  [
    '§7 plan free',
    'free',
    {
      requests_per_minute: 20,
      tokens_per_minute: 40_000,
      concurrent_requests: 4,
      requests_per_day: 200,
      monthly_spend_usd: '5',
      max_output_tokens: 8192,
    },
  ],
  [
    '§7 plan pro',
    'pro',
    {
      requests_per_minute: 300,
      tokens_per_minute: 400_000,
      concurrent_requests: 32,
      requests_per_day: null,
      monthly_spend_usd: '200',
      max_output_tokens: null,
    },
  ],
  [
    '§7 plan enterprise',
    'enterprise',
    {
      requests_per_minute: 3000,
      tokens_per_minute: 4_000_000,
      concurrent_requests: 256,
      requests_per_day: null,
      monthly_spend_usd: null,
      max_output_tokens: null,
    },
  ],
  [
    '§7 plan local',
    'local',
    {
      requests_per_minute: 600,
      tokens_per_minute: null,
      concurrent_requests: 16,
      requests_per_day: null,
      monthly_spend_usd: null,
      max_output_tokens: null,
    },
  ],
])('%s', async (_row, plan, limits) => {
  const account = await (await call('/account', { key: await newKey({ plan }) })).json();
  expect(account.plan.limits).toMatchObject(limits);
  expect(account.plan.features).toEqual(expect.arrayContaining(['chat', 'router', 'byok', 'usage_api']));
});

test.each([
  [
    '§7 JSON depth 64',
    () =>
      post(
        path,
        `{"model":"sandbox/echo","messages":[{"role":"user","content":"x"}],"metadata":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`,
      ),
    400,
    'invalid_json',
  ],
  [
    '§7 body of verify 1 KiB',
    () => call('/v1/auth/verify', { method: 'POST', body: 'x'.repeat(1025), headers: { 'content-length': '1025' } }),
    413,
    'request_too_large',
  ],
  [
    '§7 20 parts',
    () =>
      post(path, {
        model: 'sandbox/echo',
        messages: [{ role: 'user', content: Array.from({ length: 21 }, () => ({ type: 'text', text: 'x' })) }],
      }),
    400,
    'invalid_value',
  ],
])('%s', async (_row, ask, status, code) => {
  expect(await refusal(await ask())).toMatchObject({ status, code });
});

test('§10 GET /v1/requests/{id} is the one of the list', async () => {
  const [newest] = (answers.requests?.data ?? []) as Json[];
  expect(await (await call(`/v1/requests/${newest?.id}`, { key })).json()).toEqual(newest);
  expect(operator()).toBeDefined();
});

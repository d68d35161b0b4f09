import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * Doubles of other vendors' gateways and servers, written from their own documentation. Each has its own shapes and
 * refuses everything that the real one doesn't have.
 */

export interface OtherGateway {
  /** What a user enters to connect. */
  readonly baseUrl: string;
  readonly key: string;
  /** Bodies of chat requests, as they arrived. */
  readonly asked: Record<string, unknown>[];
}

type Answer = (response: ServerResponse, body: Record<string, unknown>, request: IncomingMessage) => void;
type Routes = Readonly<Record<string, Answer>>;

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const stream =
  (events: readonly unknown[], { done = true } = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end(done ? 'data: [DONE]\n\n' : '');
  };

/** Serves the routes below a base address. `otherwise` answers every other request. */
async function serve(
  base: string,
  key: string,
  routes: Routes,
  refuse: Answer,
  otherwise: Answer,
): Promise<OtherGateway> {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://here');
      const body = await text(request);
      const value = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
      if (pathname.endsWith('/completions')) asked.push(value);
      if (key !== '' && request.headers.authorization !== `Bearer ${key}`) return refuse(response, value, request);
      return (routes[`${request.method} ${pathname}`] ?? otherwise)(response, value, request);
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}${base}`, key: key || 'no-key-needed', asked };
}

/**
 * A gateway with every endpoint of the interface and no other. Where the interface leaves a
 * shape open, it uses its own.
 */
export function openInterfaceGateway(): Promise<OtherGateway> {
  const model = {
    id: 'openai/gpt-5.4-mini',
    display_name: 'GPT-5.4 mini',
    provider: 'openai',
    capabilities: ['chat', 'vision', 'function_calling'],
    context_window: 400_000,
    pricing: { input: 0.75, output: 4.5, unit: '1M tokens', currency: 'USD' },
  };
  const credits = {
    balance: 12.5,
    currency: 'USD',
    history: [
      { id: 7, kind: 'topup', amount: 20, created_at: '2026-11-01T08:00:00Z', memo: 'Card' },
      {
        id: 8,
        kind: 'debit',
        amount: 7.5,
        created_at: '2026-11-02T08:00:00Z',
        model: 'gpt-5.4-mini',
        provider: 'openai',
      },
    ],
  };
  const account = {
    account: { id: 42, display_name: 'Ada Lovelace', email: 'ada@example.com' },
    balance: { amount: '12.5', currency: 'USD' },
    plan: 'Pro',
    usage: { total_requests: 31, total_tokens: 64_000 },
  };
  const chunks = [{ text: 'Well ' }, { text: 'told.' }];
  const end = { text: '', provider: 'openai', model: 'gpt-5.4-mini', done: true, tokens: { total_tokens: 12 } };
  return serve(
    '',
    'sk-other-0123456789',
    {
      'GET /models': json({ models: [model] }),
      'GET /v1/models': json({ models: [model] }),
      'GET /account': json({ ...account, balance: account.balance }),
      'GET /credits': json(credits),
      'GET /v1/credits': json(credits),
      'GET /v1/usage': json({
        period: { start: '2026-11-01', end: '2026-12-01' },
        total_requests: 31,
        total_tokens: 64_000,
        total_cost: 7.5,
        by_model: [{ model: 'gpt-5.4-mini', provider: 'openai', requests: 31, tokens: 64_000, cost: 7.5 }],
      }),
      'POST /v1/auth/verify': json({ valid: true, user: { id: 42, name: 'Ada Lovelace' } }),
      'POST /v1/chat/completions': stream([...chunks, end]),
    },
    json({ error: { message: 'That key is unknown.', code: 'unauthorized' } }, 401),
    json({ message: 'No such route', code: 'NOT_FOUND' }, 404),
  );
}

/**
 * A server like llama.cpp's: models and chats, but no account and no key. It reports token counts if
 * the request asks for them.
 */
export function openPlainServer(finish: string | null = 'stop'): Promise<OtherGateway> {
  const chunk = (delta: object, finish: string | null, more: object = {}) => ({
    choices: [{ finish_reason: finish, index: 0, delta }],
    created: 1_795_000_000,
    id: 'chatcmpl-plain',
    model: 'qwen3-8b',
    object: 'chat.completion.chunk',
    ...more,
  });
  return serve(
    '/v1',
    '',
    {
      'GET /v1/models': json({
        object: 'list',
        data: [
          {
            id: 'qwen3-8b',
            object: 'model',
            created: 1_795_000_000,
            owned_by: 'llamacpp',
            meta: { n_ctx_train: 40_960 },
          },
        ],
      }),
      'POST /v1/chat/completions': (response, body, request) => {
        const counts = { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } };
        const asked = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
        const events = [
          chunk({ role: 'assistant', content: null }, null),
          chunk({ content: 'Plainly.' }, null),
          chunk({}, finish),
        ];
        stream([...events, ...(asked ? [{ ...chunk({}, null, counts), choices: [] }] : [])])(response, body, request);
      },
    },
    json({}, 401),
    json({ error: { code: 404, message: 'File Not Found', type: 'not_found_error' } }, 404),
  );
}

/**
 * A strict server below a base address without `/v1`. It refuses unknown fields and unknown models, and ends its
 * streams without `[DONE]`. `refuses` names further fields, which it refuses the way FastAPI does.
 */
export function openStrictServer(refuses: readonly string[] = []): Promise<OtherGateway> {
  const known = new Set([
    'model',
    'messages',
    'stream',
    'stream_options',
    'temperature',
    'max_tokens',
    'tools',
    'tool_choice',
  ]);
  const chunk = (content: string, finish_reason: string | null) => ({
    choices: [{ delta: { content }, finish_reason }],
  });
  return serve(
    '/compat/openai',
    'strict-key-0123',
    {
      'GET /compat/openai/models': json([{ id: 'mistral-small', max_model_len: 32_768 }, 'mistral-large']),
      'POST /compat/openai/chat/completions': (response, body, request) => {
        if (body.model !== 'mistral-small' && body.model !== 'mistral-large')
          return json({ detail: `The model ${body.model} does not exist` }, 404)(response, body, request);
        const refused = Object.keys(body).filter((name) => refuses.includes(name));
        if (refused.length > 0) {
          const detail = refused.map((name) => ({
            loc: ['body', name],
            msg: 'Extra inputs are not permitted',
            type: 'extra_forbidden',
          }));
          return json({ detail }, 422)(response, body, request);
        }
        const unknown = Object.keys(body).filter((name) => !known.has(name));
        if (unknown.length > 0)
          return json({ detail: `Extra fields not permitted: ${unknown.join(', ')}` }, 422)(response, body, request);
        return stream([chunk('Strictly', null), chunk(' so.', 'eos')], { done: false })(response, body, request);
      },
    },
    json({ detail: 'Unauthorized' }, 401),
    (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html><h1>Not here</h1></html>'),
  );
}

/**
 * OpenRouter, after https://openrouter.ai/docs/api-reference: models with prices, the key's record, credits
 * for management keys. With `generation`, its answers hang after the first word, and from the second query on
 * it has this record of them.
 */
export function openOpenRouter({
  management = true,
  generation,
}: {
  management?: boolean;
  generation?: Record<string, unknown>;
} = {}): Promise<OtherGateway> {
  const model = {
    id: 'anthropic/claude-sonnet-5',
    canonical_slug: 'anthropic/claude-5-sonnet-20260901',
    name: 'Anthropic: Claude Sonnet 5',
    created: 1_788_000_000,
    description: 'A model.',
    context_length: 1_000_000,
    architecture: {
      modality: 'text+image->text',
      input_modalities: ['text', 'image', 'file'],
      output_modalities: ['text'],
    },
    pricing: { prompt: '0.000003', completion: '0.000015', request: '0', input_cache_read: '0.0000003' },
    top_provider: { context_length: 1_000_000, max_completion_tokens: 64_000, is_moderated: true },
    supported_parameters: ['max_tokens', 'temperature', 'tools', 'tool_choice', 'reasoning'],
  };
  const auto = { ...model, id: 'openrouter/auto', name: 'Auto Router', pricing: { prompt: '-1', completion: '-1' } };
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: 'gen-123',
    provider: 'Anthropic',
    model: model.id,
    object: 'chat.completion.chunk',
    created: 1_795_000_000,
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', ...delta },
        finish_reason,
        native_finish_reason: finish_reason,
        logprobs: null,
      },
    ],
  });
  let lookUps = 0;
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 4,
    total_tokens: 24,
    cost: 0.00012,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    cost_details: { upstream_inference_cost: null },
    completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
  };
  return serve(
    '/api/v1',
    'sk-or-v1-0123456789',
    {
      'GET /api/v1/models': json({ data: [auto, model] }),
      'GET /api/v1/key': json({
        data: { label: 'sk-or-v1-012...789', usage: 25.5, limit: 100, limit_remaining: 74.5, is_free_tier: false },
      }),
      'GET /api/v1/credits': management
        ? json({ data: { total_credits: 100.5, total_usage: 25.75 } })
        : json({ error: { code: 403, message: 'Only management keys can fetch credits for an account' } }, 403),
      'GET /api/v1/generation': (response, body, request) => {
        const id = new URL(request.url ?? '/', 'http://here').searchParams.get('id');
        const known = id === 'gen-123' && lookUps++ > 0 && generation;
        const missing = { error: { message: `Generation ${id} not found`, code: 404 } };
        return (known ? json({ data: { id, ...generation } }) : json(missing, 404))(response, body, request);
      },
      'POST /api/v1/chat/completions': (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-generation-id': 'gen-123' });
        response.write(': OPENROUTER PROCESSING\n\n');
        if (generation) return void response.write(`data: ${JSON.stringify(chunk({ content: 'Routed' }, null))}\n\n`);
        for (const event of [
          chunk({ content: 'Routed' }, null),
          chunk({ content: '.' }, 'stop'),
          { ...chunk({ content: '' }, null), usage },
        ])
          response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.end('data: [DONE]\n\n');
      },
    },
    json({ error: { code: 401, message: 'User not found.' } }, 401),
    (response) =>
      response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html><html></html>'),
  );
}

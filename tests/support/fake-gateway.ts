import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Gateway } from '#gateway/gateway.ts';
import { AppError } from '#shared/errors.ts';
import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { CostBreakdown } from '#shared/wire/chat-response.ts';

/** Decides the fake's next answer. It yields words, may wait, and throws to break the stream off. */
export type Script = (request: {
  model: string;
  messages: { role: string; content: string }[];
  signal: AbortSignal;
}) => AsyncIterable<string>;

export interface FakeGateway extends Gateway {
  script: Script;
  /** The bodies of the chat requests that arrived. */
  readonly asked: {
    model: string;
    messages: { role: string; content: string }[];
    metadata: Record<string, string>;
    route?: object;
  }[];
  readonly aborted: string[];
  readonly records: Map<string, 'running' | 'succeeded' | 'cancelled'>;
  /** The routing decision in every request's record. */
  decision: object | null;
  /** Ids of requests to models without a price. */
  readonly unpriced: Set<string>;
  /** If set, every chat request is answered with this error. */
  refusal: { status: 402 | 429 | 503; code: string; message: string; retryAfter?: string } | null;
  refuseKeys: boolean;
  /** The context window of each model in tokens. */
  contextLength: number | null;
  /** What the last chunk has of its cost's lines; null: it has none, like an earlier gateway's. */
  breakdown: CostBreakdown | null;
  /** Ids of the requests whose records were asked for. */
  readonly recordsAsked: string[];
}

const rates = { prompt: '0.000001', completion: '0.000002', input_cache_read: null, input_cache_write: null };

function modelRecord(provider: string, model: string, status: string) {
  return {
    id: `${provider}/${model}`,
    object: 'model',
    created: 0,
    owned_by: provider,
    provider,
    model,
    name: `${model} by ${provider}`,
    description: null,
    kind: 'chat',
    status,
    unavailable_reason: null,
    context_length: null,
    max_output_tokens: null,
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    capabilities: ['streaming'],
    supported_parameters: [],
    pricing:
      model === 'free'
        ? null
        : { currency: 'USD', unit: 'token', ...rates, request: '0', image: null, tiers: [], as_of: null, source: null },
    limits: { max_images: 0, max_request_bytes: 1 },
    quality: null,
    deprecation_date: null,
    shutdown_date: null,
    aliases: model === 'mini' ? [`${provider}/mini-latest`] : [],
    simulated: provider === 'sandbox',
  };
}

/** A fake gateway. The core's tests decide what it answers and when. */
export function fakeGateway(): FakeGateway {
  const app = new Hono();
  const accounts = new Map<string, { id: string; name: string; plan: string; balance: bigint }>();
  const limits = new Map<string, { day: NanoUsd | null; month: NanoUsd | null; exceptKey: string | null }>();
  const keys = new Map<string, { id: string; accountId: string; revokedAt: number | null }>();
  let ids = 0;
  const id = (prefix: string) => `${prefix}_${++ids}`;

  const fake: FakeGateway = {
    async *script() {
      yield 'Hello';
    },
    asked: [],
    aborted: [],
    records: new Map(),
    decision: null,
    unpriced: new Set(),
    refusal: null,
    refuseKeys: false,
    contextLength: null,
    breakdown: null,
    recordsAsked: [],
    fetch: async (request) => app.fetch(request),
    operator: {
      async createAccount({ name, plan = 'free' }) {
        const account = { id: id('acct'), name, plan, balance: 0n };
        accounts.set(account.id, account);
        return { ...account, status: 'active', balance: nanoUsd(0n), held: nanoUsd(0n) };
      },
      listAccounts: async () =>
        [...accounts.values()].map((account) => ({
          ...account,
          status: 'active' as const,
          balance: nanoUsd(account.balance),
          held: nanoUsd(0n),
        })),
      setAccountStatus: async () => {},
      async limitAccount(accountId, given) {
        limits.set(accountId, Object.assign({ day: null, month: null, exceptKey: null }, limits.get(accountId), given));
      },
      async accountLimits(accountId) {
        const { day = null, month = null, exceptKey = null } = limits.get(accountId) ?? {};
        const [models, none] = [[], nanoUsd(0n)];
        return { models, day: { limit: day, used: none }, month: { limit: month, used: none }, exceptKey };
      },
      grant: async (grant) => ({ id: grant.id ?? id('grant') }),
      async createKey({ accountId }) {
        const key = { id: id('key'), accountId, revokedAt: null };
        keys.set(`sk-fake-${key.id}`, key);
        return { id: key.id, key: `sk-fake-${key.id}` };
      },
      listKeys: async (accountId) =>
        [...keys.values()]
          .filter((key) => key.accountId === accountId)
          .map((key) => ({
            ...key,
            label: null,
            prefix: 'sk-fake',
            scopes: [],
            created: 0,
            mintedBy: null,
            expiresAt: null,
            spendLimit: null,
            spent: nanoUsd(0n),
          })),
      async revokeKey(keyId) {
        for (const key of keys.values()) if (key.id === keyId) key.revokedAt = 1;
      },
    },
    setProvider() {},
    keyStates: () => [],
    async refreshModels() {},
    async checkProvider(provider) {
      if (fake.refuseKeys) throw new AppError('upstream_auth_failed', 'Incorrect API key provided.', { provider });
    },
    drain: async () => {},
    close: async () => {},
  };

  app.use(async (c, next) => {
    const key = keys.get(c.req.header('authorization')?.replace('Bearer ', '') ?? '');
    if (key && key.revokedAt === null) return next();
    return c.json(errorBody('invalid_api_key', 'This key is not valid.', 401), 401);
  });

  app.get('/v1/models', (c) => {
    const sandbox =
      accounts.get(keys.get(c.req.header('authorization')?.slice(7) ?? '')?.accountId ?? '')?.plan === 'sandbox';
    const { contextLength } = fake;
    const data = [
      modelRecord('sandbox', 'tour', sandbox ? 'available' : 'plan_required'),
      modelRecord('openai', 'gpt', sandbox ? 'plan_required' : 'no_credential'),
      modelRecord('openai', 'free', 'available'),
      modelRecord('openai', 'mini', 'available'),
      modelRecord('openai', 'large', 'available'),
    ].map((record) => ({ ...record, context_length: contextLength }));
    return c.json({ object: 'list', data, first_id: null, last_id: null, has_more: false });
  });

  app.get('/v1/requests/:id', (c) => {
    const requestId = c.req.param('id');
    fake.recordsAsked.push(requestId);
    const status = fake.records.get(requestId);
    if (!status) return c.json(errorBody('request_not_found', 'No such request.', 404), 404);
    return c.json({
      id: requestId,
      object: 'request',
      created: 0,
      provider: 'openai',
      model: 'gpt',
      status,
      error_code: null,
      purpose: 'chat',
      conversation_id: null,
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      cached_tokens: 1,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      cost_usd: fake.unpriced.has(requestId) ? '0' : '0.000007',
      upstream_cost_usd: fake.unpriced.has(requestId) ? '0' : '0.000007',
      estimated: false,
      byok: false,
      latency_ms: { first_token: 1, total: 2 },
      key_id: null,
      price: fake.unpriced.has(requestId) ? null : { ...rates, request: '0', tiers: [] },
      routing: fake.decision,
      metadata: {},
    });
  });

  app.post('/v1/chat/completions', async (c) => {
    const body = await c.req.json();
    fake.asked.push(body);
    if (fake.refusal) {
      const { status, code, message, retryAfter } = fake.refusal;
      return c.json(errorBody(code, message, status), status, retryAfter ? { 'retry-after': retryAfter } : {});
    }
    const requestId = id('req');
    const { signal } = c.req.raw;
    fake.records.set(requestId, 'running');
    if (body.model === 'openai/free') fake.unpriced.add(requestId);
    signal.addEventListener('abort', () => {
      fake.aborted.push(requestId);
      fake.records.set(requestId, 'cancelled');
    });
    c.header('x-request-id', requestId);
    const [provider = '', model = ''] = body.model === 'router' ? ['sandbox', 'tour'] : body.model.split('/');
    const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model, provider };
    const chunk = (delta: object, finish: string | null, more: object = {}) =>
      JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
    return streamSSE(c, async (stream) => {
      try {
        for await (const word of fake.script({ model: body.model, messages: body.messages, signal })) {
          if (word.startsWith('{"error"')) return stream.writeSSE({ data: word });
          const reasoning = word.startsWith('(think) ');
          await stream.writeSSE({ data: chunk(reasoning ? { reasoning_content: word } : { content: word }, null) });
        }
      } catch {
        // The script broke off, so the stream stops without a final event.
        return;
      }
      fake.records.set(requestId, 'succeeded');
      await stream.writeSSE({
        data: chunk({}, 'stop', {
          ...bill(body.model, `${provider}/${model}`),
          ...(fake.breakdown ? { portico: fake.breakdown } : {}),
        }),
      });
      await stream.writeSSE({ data: '[DONE]' });
    });
  });
  return fake;
}

function bill(asked: string, selected: string) {
  return {
    usage: {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      cost_usd: asked === 'openai/free' ? '0' : '0.000007',
      upstream_cost_usd: asked === 'openai/free' ? '0' : '0.000007',
      estimated: false,
    },
    byok: false,
    routing: {
      policy: asked === 'router' ? 'balanced' : 'direct',
      reason: 'cheapest that fits',
      selected,
      upstream_model: selected,
      attempts: [],
      catalog_version: '2026-11-20',
    },
  };
}

function errorBody(code: string, message: string, status: number) {
  return {
    error: {
      message,
      type: 'x',
      param: null,
      code,
      status_code: status,
      request_id: 'req_refused',
      provider: null,
      retryable: false,
    },
  };
}

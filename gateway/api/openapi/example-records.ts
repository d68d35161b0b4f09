/** Records that the examples of several schemas share. */

export const requestId = 'req_01KA8Z7N4R6W8T0V2X4Y6Z8A0C';
const accountId = 'acct_01KA8Z7N4R6W8T0V2X4Y6Z8A0B';
const keyId = 'key_01KA8Z7N4R6W8T0V2X4Y6Z8A0D';
export const created = 1_795_197_403;
export const routing = {
  policy: 'balanced',
  reason: 'best score 0.71 of 9 eligible',
  selected: 'openai/gpt-5.4-mini',
  upstream_model: 'gpt-5.4-mini',
  attempts: [{ provider: 'openai', model: 'gpt-5.4-mini', status: 'ok', code: null, latency_ms: 412 }],
  catalog_version: '2026-11-20',
  complexity: { tier: 'simple', score: 0 },
  relaxed: false,
};
export const direct = {
  policy: 'direct',
  reason: 'the request names this model',
  selected: 'openai/text-embedding-3-small',
  upstream_model: 'text-embedding-3-small',
  catalog_version: '2026-11-20',
  attempts: [{ provider: 'openai', model: 'text-embedding-3-small', status: 'ok', code: null, latency_ms: 140 }],
};
const limits = {
  requests_per_minute: 300,
  tokens_per_minute: 400_000,
  concurrent_requests: 32,
  requests_per_day: null,
  monthly_spend_usd: '200',
  max_output_tokens: null,
  models: ['*'],
};
const plan = {
  id: 'pro',
  name: 'Pro',
  renews_at: 1_796_083_200,
  features: ['chat', 'router', 'byok', 'usage_api'],
  limits,
  billing: 'prepaid',
};
const scopes = ['chat', 'models', 'account'];
export const credential = { type: 'api_key', id: keyId, label: 'laptop', prefix: 'sk-portico-qzoG', scopes };
export const period = { type: 'month', start: 1_793_491_200, end: 1_796_083_200 };
export const sharedAccount = {
  object: 'account',
  id: accountId,
  name: 'My team',
  email: null,
  created: 1_790_000_000,
  status: 'active',
  plan,
  balance: {
    currency: 'USD',
    amount: '12.5',
    held: '0.01',
    available: '12.49',
    total_granted: '20',
    total_used: '7.5',
  },
  usage: {
    period,
    requests: 120,
    prompt_tokens: 91_234,
    completion_tokens: 40_321,
    total_tokens: 131_555,
    cost_usd: '1.23',
    unknown_cost_requests: 0,
    unfinished_requests: 0,
  },
};
export const model = {
  id: 'openai/gpt-5.4-mini',
  object: 'model',
  created: 1_773_705_600,
  owned_by: 'openai',
  provider: 'openai',
  model: 'gpt-5.4-mini',
  name: 'GPT-5.4 mini',
  description: null,
  kind: 'chat',
  status: 'available',
  unavailable_reason: null,
  context_length: 272_000,
  max_output_tokens: 128_000,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
  capabilities: ['streaming', 'tools', 'json_schema'],
  supported_parameters: ['max_tokens', 'tools', 'response_format'],
  pricing: {
    currency: 'USD',
    unit: 'token',
    prompt: '0.00000075',
    completion: '0.0000045',
    input_cache_read: '0.000000075',
    input_cache_write: null,
    request: '0',
    image: null,
    tiers: [],
    as_of: '2026-11-20',
    source: 'https://github.com/pydantic/genai-prices',
  },
  limits: { max_images: 20, max_request_bytes: 26_214_400 },
  quality: 0.62,
  deprecation_date: null,
  shutdown_date: null,
  aliases: [],
  simulated: false,
};
export const transaction = {
  id: 'txn_01KA8Z7N4R6W8T0V2X4Y6Z8A0E',
  object: 'credit_transaction',
  type: 'usage',
  amount: '-0.0000195',
  balance_after: '12.5',
  currency: 'USD',
  created,
  description: 'openai/gpt-5.4-mini',
  request_id: requestId,
  provider: 'openai',
  model: 'gpt-5.4-mini',
  estimated: false,
};
/** The operator's fee for an answer with the caller's own key. */
export const fee = {
  ...transaction,
  id: 'txn_01KA8Z7N4R6W8T0V2X4Y6Z8A0D',
  type: 'byok_fee',
  amount: '-0.000000488',
  balance_after: '12.5000195',
};
export const toList = (...data: { id: string }[]) => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: false,
});
export const counters = {
  requests: 80,
  succeeded: 78,
  failed: 1,
  cancelled: 1,
  prompt_tokens: 60_000,
  cached_tokens: 1200,
  completion_tokens: 20_000,
  reasoning_tokens: 900,
  total_tokens: 80_000,
  cost_usd: '0.4',
  byok_requests: 0,
  unknown_cost_requests: 0,
  unfinished_requests: 0,
  byok_upstream_cost_usd: '0',
};
export const bucket = {
  object: 'usage.bucket',
  provider: 'openai',
  model: 'gpt-5.4-mini',
  day: null,
  key: null,
  status: null,
  ...counters,
};
export const record = {
  id: requestId,
  object: 'request',
  created,
  provider: 'openai',
  model: 'gpt-5.4-mini',
  status: 'succeeded',
  error_code: null,
  purpose: 'chat',
  conversation_id: null,
  prompt_tokens: 14,
  completion_tokens: 2,
  total_tokens: 16,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: '0.0000195',
  upstream_cost_usd: '0.0000195',
  estimated: false,
  byok: false,
  latency_ms: { first_token: 412, total: 640 },
  key_id: keyId,
  price: { currency: 'USD', unit: 'token' },
  routing,
  metadata: { purpose: 'chat' },
};
export const chunk = {
  id: 'chatcmpl-01KA8Z7N4R6W8T0V2X4Y6Z8A0C',
  created,
  model: 'gpt-5.4-mini',
  provider: 'openai',
};

export const question = { role: 'user', content: 'What is the capital of France?' };
export const response = {
  id: 'resp_01KA8Z7N4R6W8T0V2X4Y6Z8A0C',
  object: 'response',
  created_at: created,
  status: 'completed',
  model: 'gpt-5.4-mini',
  provider: 'openai',
  error: null,
  incomplete_details: null,
  output: [
    {
      id: 'msg_01KA8Z7N4R6W8T0V2X4Y6Z8A0C_0',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Paris.', annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 14,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 16,
    cost_usd: '0.0000195',
    upstream_cost_usd: '0.0000195',
    estimated: false,
  },
  byok: false,
  routing,
  warnings: [],
};
export const key = {
  id: 'key_01JD0000000000000000000000',
  object: 'api_key',
  label: 'ci',
  prefix: 'sk-portico-qzoG',
  scopes: ['chat'],
  status: 'active',
  created,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  spend_limit_usd: '5',
  spent_usd: '0.4',
  held_usd: '0',
  minted_by: keyId,
};

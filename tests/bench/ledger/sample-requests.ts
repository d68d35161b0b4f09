/** Data that a gateway stores with a request, of realistic size. */

export const samplePrice = JSON.stringify({
  currency: 'USD',
  unit: 'token',
  prompt: '0.000001',
  completion: '0.000002',
  input_cache_read: null,
  input_cache_write: null,
  request: '0',
  image: null,
  tiers: [],
  as_of: '2026-09-23',
  source: '@pydantic/genai-prices 0.1.8',
});

const decision = {
  policy: 'direct',
  reason: 'the request names this model',
  selected: 'openai/gpt-5',
  upstream_model: 'gpt-5',
  attempts: [{ provider: 'openai', model: 'gpt-5', status: 'ok', code: null, latency_ms: 1200 }],
  catalog_version: '2026-09-23',
};

export const shortRouting = JSON.stringify(decision);

/** A decision with every model that the router considered: 4 KB. */
export const fullRouting = JSON.stringify({
  ...decision,
  policy: 'balanced',
  reason: 'best score 0.409 of 30 eligible',
  relaxed: false,
  complexity: { score: 0, tier: 'simple' },
  candidates: Array.from({ length: 53 }, (_, index) =>
    index % 3 === 0
      ? { id: `openai/model-of-some-name-${index}`, excluded: ['no_credential', 'request.only'] }
      : {
          id: `openai/model-of-some-name-${index}`,
          score: 0.4083,
          parts: { quality: 0.0015, price: 0.292, latency: 0.1149, error_penalty: 0, sticky: 0 },
        },
  ),
});

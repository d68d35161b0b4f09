import type { RoutingAnswer } from '#shared/contract/chat/routing.ts';

const price = { prompt: '0.000003', completion: '0.000015' };

/**
 * A routing decision with everything that one can contain: a failed attempt, a better placed model, and
 * models that could not answer.
 */
export const fakeRouting: RoutingAnswer = {
  known: true,
  decision: {
    selected: { id: 'openai/gpt-5.4-mini', name: 'GPT-5.4 mini' },
    policy: 'balanced',
    tier: 'simple',
    relaxed: false,
    candidates: [
      { id: 'anthropic/claude-sonnet-5', name: 'Claude Sonnet 5', price, score: 0.7312, excluded: [] },
      { id: 'openai/gpt-5.4-mini', name: 'GPT-5.4 mini', price, score: 0.71, excluded: [] },
      { id: 'x/blind', name: 'Blind One', price: null, score: null, excluded: ['capability:vision', 'max_cost'] },
      { id: 'x/new', name: 'New One', price: null, score: null, excluded: ['some_new_reason'] },
    ],
    attempts: [
      {
        id: 'anthropic/claude-sonnet-5',
        name: 'Claude Sonnet 5',
        failed: true,
        code: 'upstream_overloaded',
        latencyMs: 412,
      },
      { id: 'openai/gpt-5.4-mini', name: 'GPT-5.4 mini', failed: false, code: null, latencyMs: 1630 },
    ],
    alternative: {
      id: 'anthropic/claude-sonnet-5',
      name: 'Claude Sonnet 5',
      costUsd: '0.001095',
      moreUsd: '-0.0000195',
    },
  },
};

import { describe, expect, test } from 'vitest';
import { getPlan } from '../../access/auth/plans.ts';
import { buildCatalogue } from '../../models/catalogue/build-catalogue.ts';
import { choose } from './choose.ts';
import { type Candidate, type Features, getFeatures, type Rules } from './eligibility.ts';

/** The nine models of the contract's samples, with the prices that ship (wire contract §5.3). */
const nine = [
  ...['openai/gpt-5.5', 'openai/gpt-5.4-mini', 'openai/gpt-5.4-nano'],
  ...['anthropic/claude-opus-5', 'anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4-5'],
  ...['google/gemini-3.1-pro-preview', 'google/gemini-3.6-flash', 'google/gemini-3.1-flash-lite'],
];
const day = '2026-11-21';
const catalogue = buildCatalogue(day, []).models.filter(({ id }) => nine.includes(id));
const healthy = { circuit: 'closed', coolingDown: false, errorRate: 0, measured: null } as const;

function chain(features: Features, policy: Rules['controls']['policy'], openCircuit: string | null = null): string[] {
  const candidates = catalogue.map((model): Candidate => {
    const circuit = model.provider === openCircuit ? ('open' as const) : ('closed' as const);
    return { model, hasCredential: true, sticky: false, health: { ...healthy, circuit } };
  });
  const rest = { only: undefined, ignore: undefined, max_cost_usd: undefined, require_parameters: undefined };
  const controls = { ...rest, policy, allow_fallbacks: undefined, max_attempts: undefined };
  const rules: Rules = {
    controls,
    plan: getPlan('pro'),
    provider: null,
    maxCost: null,
    allowSimulated: false,
    stickyFirst: false,
    today: day,
  };
  return choose(candidates, features, rules).chain.map(({ candidate }) => candidate.model.id);
}

const featuresOfPrompt = (content: string, parameters: object = {}) =>
  getFeatures({ messages: [{ role: 'user', content, name: undefined }], maxTokens: null, parameters });
const tools = [
  { type: 'function' as const, function: { name: 'run', description: undefined, parameters: {}, strict: undefined } },
];
const greeting = featuresOfPrompt('hi');
const code = featuresOfPrompt(`\`\`\`ts\n${'const x = 1;\n'.repeat(850)}\`\`\``, { tools });

describe('the shipped catalogue decides', () => {
  test('the sample files exist', () => {
    expect(catalogue.map(({ id }) => id).toSorted()).toEqual(nine.toSorted());
    expect(code.inputTokens).toBeGreaterThan(3000);
  });

  test.each<[name: string, Features, Parameters<typeof chain>[1], down: string | null, chosen: string]>([
    ['"hi"', greeting, undefined, null, 'google/gemini-3.1-flash-lite openai/gpt-5.4-nano google/gemini-3.6-flash'],
    [
      '"hi", cheapest',
      greeting,
      'cheapest',
      null,
      'openai/gpt-5.4-nano google/gemini-3.1-flash-lite google/gemini-3.6-flash',
    ],
    [
      '"hi", fastest',
      greeting,
      'fastest',
      null,
      'google/gemini-3.1-flash-lite openai/gpt-5.4-nano google/gemini-3.6-flash',
    ],
    ['"hi", best', greeting, 'best', null, 'anthropic/claude-opus-5 openai/gpt-5.5 anthropic/claude-sonnet-5'],
    [
      '"hi" while Google fails',
      greeting,
      undefined,
      'google',
      'openai/gpt-5.4-nano anthropic/claude-haiku-4-5 openai/gpt-5.4-mini',
    ],
    ['code', code, undefined, null, 'anthropic/claude-opus-5 google/gemini-3.1-pro-preview anthropic/claude-sonnet-5'],
    [
      'code, cheapest',
      code,
      'cheapest',
      null,
      'google/gemini-3.6-flash anthropic/claude-sonnet-5 google/gemini-3.1-pro-preview',
    ],
    ['code, best', code, 'best', null, 'anthropic/claude-opus-5 openai/gpt-5.5 anthropic/claude-sonnet-5'],
  ])('%s', (_name, features, policy, down, chosen) => {
    expect(chain(features, policy, down).join(' ')).toBe(chosen);
  });
});

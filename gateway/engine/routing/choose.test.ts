import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PicoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import { testModel, testPrice } from '../../../tests/gateway-doubles/test-models.ts';
import { getPlan } from '../../access/auth/plans.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { choose } from './choose.ts';
import { type Candidate, type Features, getComplexity, getExclusions, getFeatures, type Rules } from './eligibility.ts';

const noControls: Rules['controls'] = {
  policy: undefined,
  only: undefined,
  ignore: undefined,
  max_cost_usd: undefined,
  require_parameters: undefined,
  allow_fallbacks: undefined,
  max_attempts: undefined,
};
const rules = (more: Partial<Rules> = {}, controls: Partial<Rules['controls']> = {}): Rules => ({
  controls: { ...noControls, ...controls },
  plan: getPlan('pro'),
  provider: null,
  maxCost: null,
  allowSimulated: false,
  stickyFirst: false,
  today: '2026-11-20',
  ...more,
});
const healthy = { circuit: 'closed', coolingDown: false, errorRate: 0, measured: null } as const;
const candidate = (model: CatalogueModel, more: Partial<Candidate> = {}): Candidate => ({
  model,
  hasCredential: true,
  health: healthy,
  sticky: false,
  ...more,
});

const getSize = (textTokens: number) => ({ textTokens, pictures: [], fileTokens: null, isOnePrompt: true });

const small: Features = {
  inputTokens: 20,
  inputSize: getSize(20),
  maxTokens: null,
  outputTokens: 500,
  turns: 1,
  reasoningEffort: null,
  parameters: [],
  tools: false,
  forcedTool: false,
  jsonMode: false,
  jsonSchema: false,
  images: false,
  files: false,
  audio: false,
  webSearch: false,
  imageOutput: false,
  codeOrMath: false,
  promptCache: null,
};

const anyModel = fc
  .record({
    provider: fc.constantFrom('openai', 'anthropic', 'google', 'local'),
    name: fc.stringMatching(/^[a-z]{1,6}$/),
    prompt: fc.bigInt({ min: 0n, max: 100_000_000n }),
    completion: fc.bigInt({ min: 0n, max: 400_000_000n }),
    priced: fc.boolean(),
    quality: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    contextLength: fc.option(fc.integer({ min: 100, max: 1_000_000 })),
    vision: fc.boolean(),
    firstTokenMs: fc.integer({ min: 50, max: 20_000 }),
    tokensPerSecond: fc.integer({ min: 1, max: 500 }),
    simulated: fc.boolean(),
    shutdownDate: fc.constantFrom(null, '2020-01-01', '2030-01-01'),
  })
  .map((m) =>
    testModel(`${m.provider}/${m.name}`, {
      price: m.priced ? { ...testPrice('0', '0'), prompt: picoUsd(m.prompt), completion: picoUsd(m.completion) } : null,
      quality: m.quality,
      contextLength: m.contextLength,
      capabilities: m.vision ? ['vision', 'tools'] : ['tools'],
      speed: { firstTokenMs: m.firstTokenMs, tokensPerSecond: m.tokensPerSecond },
      simulated: m.simulated,
      shutdownDate: m.shutdownDate,
    }),
  );
const anyCandidate = fc
  .record({
    model: anyModel,
    hasCredential: fc.boolean(),
    circuit: fc.constantFrom('closed', 'open', 'half_open'),
    coolingDown: fc.boolean(),
    errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
    sticky: fc.boolean(),
  })
  .map(({ circuit, coolingDown, errorRate, ...rest }) =>
    candidate(rest.model, { ...rest, health: { circuit, coolingDown, errorRate, measured: null } }),
  );
const anyCandidates = fc.uniqueArray(anyCandidate, { maxLength: 12, selector: ({ model }) => model.id });
const anyFeatures = fc
  .record({
    inputTokens: fc.integer({ min: 0, max: 200_000 }),
    inputSize: fc.integer({ min: 0, max: 200_000 }).map(getSize),
    maxTokens: fc.option(fc.integer({ min: 1, max: 50_000 })),
    images: fc.boolean(),
    tools: fc.boolean(),
    codeOrMath: fc.boolean(),
  })
  .map((some): Features => ({ ...small, ...some, outputTokens: Math.min(some.maxTokens ?? 500, 500) }));
const anyRules = fc
  .record({
    policy: fc.constantFrom(undefined, 'balanced' as const, 'cheapest' as const, 'fastest' as const, 'best' as const),
    only: fc.constantFrom<string[] | undefined>(undefined, ['openai', 'google/*']),
    ignore: fc.constantFrom<string[] | undefined>(undefined, ['*/a*']),
    max_attempts: fc.constantFrom(undefined, 1, 2, 4),
    maxCost: fc.constantFrom(null, parseUsd('0.01')),
    allowSimulated: fc.boolean(),
  })
  .map(({ maxCost, allowSimulated, ...controls }) => rules({ maxCost, allowSimulated }, controls));
const cases = [anyCandidates, anyFeatures, anyRules] as const;
const ids = (choice: ReturnType<typeof choose>) => choice.chain.map((entry) => entry.candidate.model.id);

describe('for any request and any catalogue', () => {
  test('a model that may not serve the request is never chosen', () => {
    fc.assert(
      fc.property(...cases, (candidates, features, given) => {
        for (const { candidate: chosen } of choose(candidates, features, given).chain) {
          expect(getExclusions(chosen, features, given)).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('some model is chosen exactly when one may serve the request', () => {
    fc.assert(
      fc.property(...cases, (candidates, features, given) => {
        const able = candidates.some((entry) => getExclusions(entry, features, given).length === 0);
        expect(choose(candidates, features, given).chain.length > 0).toBe(able);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the order of the catalogue does not matter', () => {
    fc.assert(
      fc.property(...cases, (candidates, features, given) => {
        expect(choose([...candidates].reverse(), features, given)).toEqual(choose(candidates, features, given));
      }),
      { numRuns: 1_000 },
    );
  });

  test('removing a model that was not chosen does not change the choice', () => {
    fc.assert(
      fc.property(...cases, fc.nat(), (candidates, features, given, at) => {
        const [winner] = ids(choose(candidates, features, given));
        const losers = candidates.filter((entry) => entry.model.id !== winner);
        const gone = losers[at % Math.max(1, losers.length)];
        const left = candidates.filter((entry) => entry !== gone);
        expect(ids(choose(left, features, given))[0]).toBe(winner);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a winner that gets cheaper or better stays the winner', () => {
    const half = (price: PicoUsd) => picoUsd(price / 2n);
    fc.assert(
      fc.property(...cases, fc.boolean(), (candidates, features, given, cheaper) => {
        const [winner] = ids(choose(candidates, features, given));
        const improved = candidates.map((entry) => {
          const { model } = entry;
          if (model.id !== winner || !model.price) return entry;
          const price = { ...model.price, prompt: half(model.price.prompt), completion: half(model.price.completion) };
          const quality = Math.min(1, (model.quality ?? 0) + 0.1);
          return { ...entry, model: { ...model, ...(cheaper ? { price } : { quality }) } };
        });
        expect(ids(choose(improved, features, given))[0]).toBe(winner);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every candidate is explained, by a score or by reasons', () => {
    fc.assert(
      fc.property(...cases, (candidates, features, given) => {
        const { candidates: explained } = choose(candidates, features, given);
        expect(explained.map(({ id }) => id).toSorted()).toEqual(candidates.map(({ model }) => model.id).toSorted());
        for (const entry of explained) expect('score' in entry || entry.excluded.length > 0).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the second attempt is another provider when there is one', () => {
    fc.assert(
      fc.property(...cases, (candidates, features, given) => {
        const choice = choose(candidates, features, given);
        const [first, second] = choice.chain.map((entry) => entry.candidate.model.provider);
        const scored = choice.candidates.filter((entry) => 'score' in entry).map((entry) => entry.id.split('/')[0]);
        if (second !== undefined && new Set(scored).size > 1) expect(second).not.toBe(first);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('decisions', () => {
  const cheap = testModel('google/lite', { quality: 0.5, price: testPrice('0.0000001', '0.0000004') });
  const middle = testModel('openai/mini', { quality: 0.62, price: testPrice('0.00000075', '0.0000045') });
  const strong = testModel('anthropic/opus', {
    quality: 0.93,
    price: testPrice('0.000005', '0.000025'),
    speed: { firstTokenMs: 1_800, tokensPerSecond: 60 },
  });
  const three = [strong, middle, cheap].map((model) => candidate(model));
  const hard: Features = { ...small, inputTokens: 3_000, codeOrMath: true, tools: true };

  test.each([
    ['a greeting goes to the cheapest', small, {}, 'google/lite'],
    ['hard work goes to the best', hard, {}, 'anthropic/opus'],
    ['the policy "best" goes to the best model', small, { policy: 'best' as const }, 'anthropic/opus'],
    ['a provider may be left out', small, { ignore: ['google'] }, 'openai/mini'],
    ['a model may be asked for by a pattern', small, { only: ['*/opus'] }, 'anthropic/opus'],
  ])('%s', (_name, features, controls, winner) => {
    expect(ids(choose(three, features, rules({}, controls)))[0]).toBe(winner);
  });

  test('a hard request has a quality floor, which is lifted when no model reaches it', () => {
    const choice = choose(three, hard, rules());
    expect(choice.complexity).toEqual({ score: 4, tier: 'complex' });
    expect(choice.candidates.filter((entry) => 'excluded' in entry).map((entry) => entry.id)).toEqual([
      'google/lite',
      'openai/mini',
    ]);
    const weak = choose([candidate(cheap)], hard, rules());
    expect([weak.relaxed, ids(weak)]).toEqual([true, ['google/lite']]);
  });

  test('equal scores go to the lower cost and then to the id', () => {
    const twins = ['b/x', 'a/x'].map((id) => candidate(testModel(id)));
    expect(ids(choose(twins, small, rules()))[0]).toBe('a/x');
  });

  test('a request that ends with a tool’s result goes to the model that asked for the tool', () => {
    const candidates = three.map((entry) => (entry.model === strong ? { ...entry, sticky: true } : entry));
    expect(ids(choose(candidates, small, rules({ stickyFirst: true })))[0]).toBe('anthropic/opus');
  });
});

describe('complexity', () => {
  const message = (text: string) => ({
    messages: [{ role: 'user' as const, content: text, name: undefined }],
    maxTokens: null,
    parameters: {},
  });
  test.each([
    ['hi', 0],
    ['```js\n1\n```', 1],
    ['x'.repeat(700), 1],
    ['x'.repeat(7_000), 2],
    ['x'.repeat(70_000), 3],
  ])('%#: the score adds up what can be counted', (text, score) => {
    expect(getComplexity(getFeatures(message(text))).score).toBe(score);
  });

  test('high effort counts twice', () => {
    const parameters = { reasoning_effort: 'high' as const };
    expect(getComplexity(getFeatures({ ...message('hi'), parameters }))).toEqual({ score: 2, tier: 'standard' });
  });
});

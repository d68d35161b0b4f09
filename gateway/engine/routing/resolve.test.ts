import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { matchesGlob, resolve } from './resolve.ts';

const models = [
  testModel('openai/gpt'),
  testModel('openai/dated'),
  testModel('openai/dated-20250101'),
  testModel('google/shared'),
  testModel('openai/shared'),
  { ...testModel('openai/org'), id: 'openai/org/name', model: 'org/name' },
  testModel('anthropic/opus', { aliases: ['best'] }),
  { ...testModel('reseller/copy'), id: 'reseller/anthropic/new', model: 'anthropic/new' },
];
const providers = ['openai', 'anthropic', 'google', 'reseller'];
const ask = (provider: string | null, model: string | null) => {
  try {
    const configured = (id: string) => id === 'google';
    const result = resolve({ provider, model, models, providers, configured, vendor: 'portico' });
    return result.kind === 'direct' ? result.model.id : `router:${result.provider ?? 'all'}`;
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
};

describe('the model of a request', () => {
  test.each([
    ['router', null, 'router:all'],
    ['router', 'gpt', 'router:all'],
    ['openai', null, 'router:openai'],
    ['openai', 'router', 'router:openai'],
    ['openai', 'gpt', 'openai/gpt'],
    ['openai', 'openai/gpt', 'openai/gpt'],
    ['openai', 'google/shared', 'provider_model_mismatch'],
    ['openai', 'nothing', 'model_not_found'],
    ['acme', 'gpt', 'invalid_provider'],
    [null, null, 'router:all'],
    [null, 'auto', 'router:all'],
    [null, 'portico/router', 'router:all'],
    [null, 'openai/gpt', 'openai/gpt'],
    [null, 'openai%2Fgpt', 'openai/gpt'],
    [null, 'gpt', 'openai/gpt'],
    [null, 'org/name', 'openai/org/name'],
    [null, 'best', 'anthropic/opus'],
    [null, 'gpt-20250929', 'openai/gpt'],
    [null, 'openai/gpt-2025-12-11', 'openai/gpt'],
    ['openai', 'gpt-latest', 'openai/gpt'],
    ['google', 'gpt-20250929', 'model_not_found'],
    [null, 'gpt-2025', 'model_not_found'],
    [null, 'best-20250929', 'anthropic/opus'],
    [null, 'dated-20250101', 'openai/dated-20250101'],
    [null, 'shared', 'google/shared'],
    [null, 'nothing', 'model_not_found'],
    [null, 'anthropic/new', 'model_not_found'],
    [null, 'reseller/anthropic/new', 'reseller/anthropic/new'],
    ['reseller', 'anthropic/new', 'reseller/anthropic/new'],
  ])('with provider %j and model %j is %s', (provider, model, expected) => {
    expect(ask(provider, model)).toBe(expected);
  });

  test('is a model, the router or one of the contract’s error codes for any input', () => {
    const word = fc.option(fc.oneof(fc.string(), fc.constantFrom('openai', 'router', 'gpt', 'openai/gpt', '%2f')));
    fc.assert(
      fc.property(word, word, (provider, model) => {
        expect(typeof ask(provider, model)).toBe('string');
      }),
    );
  });
});

test('a pattern matches as its regular expression would', () => {
  const piece = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(piece, fc.stringMatching(/^[ab]{0,8}$/), (pattern, id) => {
      expect(matchesGlob(pattern, id)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(id));
    }),
    { numRuns: 2_000 },
  );
});

import { describe, expect, test } from 'vitest';
import { nearestFacts } from '../../providers/model-lists.ts';

describe('the nearest known model', () => {
  test.each([
    ['anthropic', 'claude-sonnet-5-3', 'claude-sonnet-5'],
    ['anthropic', 'claude-opus-5-7', 'claude-opus-5-5'],
    ['anthropic', 'claude-opus-6', 'claude-opus-5-5'],
    ['anthropic', 'claude-fable-5-3-20261201', 'claude-fable-5-2'],
    ['anthropic', 'claude-sonnet-5-8', 'claude-sonnet-5-5'],
    ['anthropic', 'claude-haiku-5-1', 'claude-haiku-5-5'],
    ['anthropic', 'claude-saga-5-5', 'claude-opus-5-5'],
    ['anthropic', 'claude-sonnet-4-7', 'claude-sonnet-4-6'],
    ['anthropic', 'claude-haiku-4-9', 'claude-haiku-4-5'],
    ['openai', 'gpt-6.4-sol', 'gpt-6.2-sol'],
    ['openai', 'gpt-6.1-terra', 'gpt-6.1-sol'],
    ['openai', 'gpt-6.1-luna-2026-12-01', 'gpt-6-luna'],
    ['openai', 'gpt-5.3-codex', 'gpt-5.2'],
    ['openai', 'gpt-5-chat-latest', 'gpt-5'],
    ['openai', 'chatgpt-4o-latest', 'gpt-4o'],
    ['openai', 'o4', 'o4-mini'],
    ['openai', 'ft:gpt-4.1-mini-2025-04-14:house::abc', 'gpt-4.1-mini'],
    ['google', 'gemini-3.9-flash', 'gemini-3.8-flash'],
    ['google', 'gemini-4-pro', 'gemini-3.1-pro-preview'],
    ['google', 'gemini-flash-latest', 'gemini-3.8-flash'],
    ['google', 'gemini-2.5-flash-preview-09-2026', 'gemini-2.5-flash'],
  ])('the known model of %s that is nearest to %s is %s', (provider, model, nearest) => {
    expect(nearestFacts(provider, model)?.id).toBe(`${provider}/${nearest}`);
  });

  test('the nearest known model is of the same generation even if that generation lacks the tier', () => {
    const facts = nearestFacts('anthropic', 'claude-haiku-6');
    expect(facts?.thinking.by).toBe('adaptive');
    expect(facts?.sampling).toEqual([]);
  });

  test('the nearest known model is null for a provider without known models', () => {
    expect(nearestFacts('mistral', 'mistral-large-4')).toBeNull();
  });
});

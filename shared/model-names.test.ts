import { describe, expect, test } from 'vitest';
import { canChat, getVendor, withoutSnapshot } from './model-names.ts';

describe('a name', () => {
  test.each([
    ['claude-sonnet-5-5', 'anthropic'],
    ['Claude-Sonnet-5-5', 'anthropic'],
    ['gpt-6.2-sol', 'openai'],
    ['o5-mini', 'openai'],
    ['gemini-4-flash', 'google'],
    ['gemini-flash-latest', 'google'],
    ['mistral-large-4', 'mistral'],
    ['codestral-2611', 'mistral'],
    ['deepseek-v5', 'deepseek'],
    ['grok-5', 'xai'],
    ['claude-nothing', null],
    ['gpt-nothing', null],
    ['qwen-4', null],
    ['text-embedding-4', null],
    ['gpt-image-3', null],
    ['mistral-ocr-3', null],
    ['grok-imagine-2', null],
  ])('the vendor of %s is %s', (model, vendor) => {
    expect(getVendor(model)).toBe(vendor);
  });

  test.each([
    ['openai', ['gpt-6.1-sol', 'gpt-5-pro', 'o3', 'codex-mini-latest', 'gpt-4-turbo', 'ft:gpt-4o:house::1']],
    ['anthropic', ['claude-sonnet-5-5', 'claude-3-7-sonnet-20250219']],
    ['google', ['gemini-3.9-flash', 'gemini-3.9-flash-lite', 'gemini-pro-latest']],
  ])('chat models of %s are recognised', (provider, models) => {
    expect(models.filter((model) => !canChat(provider, model))).toEqual([]);
  });

  test.each([
    [
      'openai',
      [
        'text-embedding-4-large',
        'tts-2-hd',
        'gpt-5-mini-tts',
        'whisper-2',
        'gpt-5-transcribe',
        'dall-e-4',
        'gpt-image-2',
        'chatgpt-image-latest',
        'sora-3',
        'omni-moderation-latest',
        'gpt-realtime-2',
        'gpt-6-audio',
        'gpt-3.5-turbo-instruct',
        'davinci-002',
        'computer-use-preview',
        'o4-mini-deep-research',
      ],
    ],
    [
      'google',
      [
        'gemini-embedding-002',
        'gemini-3.5-flash-tts',
        'gemini-3.5-flash-live',
        'gemini-3.5-flash-native-audio',
        'gemini-4-flash-image',
        'imagen-5',
        'veo-4',
        'aqa',
      ],
    ],
  ])('other models of %s are not taken for chat models', (provider, models) => {
    expect(models.filter((model) => canChat(provider, model))).toEqual([]);
  });

  test.each([
    ['claude-sonnet-5-5-20260928', 'claude-sonnet-5-5'],
    ['claude-sonnet-5-5[1m]', 'claude-sonnet-5-5'],
    ['claude-sonnet-5-5-20260928[1M]', 'claude-sonnet-5-5'],
    ['gpt-6.1-sol-2026-09-29', 'gpt-6.1-sol'],
    ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ])('%s has the short form %s', (model, short) => {
    expect(withoutSnapshot(model)).toBe(short);
  });
});

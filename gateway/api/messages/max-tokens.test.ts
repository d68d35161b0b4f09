import { expect, test } from 'vitest';
import { messagesAnswer } from '#shared/wire/messages-answer.ts';
import { user } from '../../../tests/gateway-doubles/message-bench.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';

/** Anthropic's clients must send `max_tokens` and send the same for every model, so it is lowered where a model gives less. */

const sent = ({ body }: { body: unknown }) => {
  const fields = body as Record<string, never> & { generationConfig?: { maxOutputTokens?: number } };
  const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;
  return fields.generationConfig?.maxOutputTokens ?? names.map((name) => fields[name]).find((value) => value);
};

test.each([
  ['openai/gpt-4o', 32_000, 16_384],
  ['openai/gpt-4.1', 32_000, 32_000],
  ['openai/gpt-4.1', 64_000, 32_768],
  ['anthropic/claude-haiku-4-5', 200_000, 64_000],
  ['google/gemini-2.5-pro', 32_000, 32_000],
  ['google/gemini-2.5-pro', 128_000, 65_536],
])('%s is asked for at most its longest answer when a client sends %i', async (model, asked, expected) => {
  const { post, calls } = await openThreeVendors();
  for (const stream of [false, true]) {
    const answer = await post('/v1/messages', { model, max_tokens: asked, messages: [user('hi')], stream });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text.includes('max_tokens_lowered')).toBe(expected < asked);
    expect(sent(calls.at(-1) as never)).toBe(expected);
  }
});

test('the router does not pass over a model because a client asks for more than it gives', async () => {
  const { post, calls } = await openThreeVendors();
  const route = { only: ['openai/gpt-4o', 'openai/gpt-4.1'] };
  const answer = await post('/v1/messages', { model: 'router', route, max_tokens: 64_000, messages: [user('hi')] });
  expect([answer.status, messagesAnswer.parse(await answer.json()).type]).toEqual([200, 'message']);
  expect(calls).toHaveLength(1);
});

test('a small account is held for the lowered limit, not for the one that the client sent', async () => {
  const { post } = await openThreeVendors({ plan: 'free', balance: '0.20' });
  // 32,000 tokens of gpt-4o would cost $0.32; it writes at most 16,384 for $0.17.
  const answer = await post('/v1/messages', { model: 'openai/gpt-4o', max_tokens: 32_000, messages: [user('hi')] });
  expect(answer.status).toBe(200);
});

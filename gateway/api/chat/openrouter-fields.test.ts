import { expect, test } from 'vitest';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';

const messages = [{ role: 'user', content: 'hi' }];

async function ask(fields: object, model = 'openai/gpt-5.4') {
  const { post, calls } = await openThreeVendors();
  const answer = await post('/v1/chat/completions', { model, messages, ...fields });
  const text = await answer.text();
  const { reasoning, reasoning_effort: effort } = (calls[0]?.body ?? {}) as {
    reasoning?: { effort: string };
    reasoning_effort?: string;
  };
  return { status: answer.status, text, effort: reasoning?.effort ?? effort ?? null };
}

test.each([
  [{ effort: 'high' }, 'high'],
  [{ effort: 'none' }, 'none'],
  [{ enabled: false }, 'none'],
  [{ enabled: true }, 'medium'],
  [{ max_tokens: 25_000 }, 'high'],
  [{ max_tokens: 5_000 }, 'low'],
  [{}, null],
])('the reasoning %j of OpenRouter is the effort %s', async (reasoning, effort) => {
  const answer = await ask({ reasoning });
  expect([answer.status, answer.effort]).toEqual([200, effort]);
  expect(answer.text.includes('budget_as_effort')).toBe('max_tokens' in reasoning);
  expect(answer.text).not.toContain('unknown_parameter');
});

test('the effort in the field of OpenAI comes first', async () => {
  expect((await ask({ reasoning: { effort: 'low' }, reasoning_effort: 'high' })).effort).toBe('high');
});

test('an unknown effort is refused by its name', async () => {
  const { post } = await openThreeVendors();
  const answer = await post('/v1/chat/completions', {
    model: 'openai/gpt-5.4',
    messages,
    reasoning: { effort: 'huge' },
  });
  expect([answer.status, (await answer.json()).error.param]).toEqual([400, 'reasoning_effort']);
});

test('reasoning that is not wanted in the answer is reported as sent', async () => {
  expect((await ask({ reasoning: { effort: 'low', exclude: true } })).text).toContain('reasoning.exclude');
});

test('a stream ends with its usage when OpenRouter’s field asks for that', async () => {
  const [asked, not] = [{ usage: { include: true } }, {}].map((fields) => ask({ stream: true, ...fields }));
  const last = async (answer: ReturnType<typeof ask> | undefined) => (await answer)?.text.split('\n\n').at(-3) ?? '';
  expect(await last(asked)).toMatch(/"choices":\[\].*"usage":\{/);
  expect(await last(not)).not.toMatch(/"choices":\[\]/);
  expect((await asked)?.text).not.toContain('unknown_parameter');
});

test('fallback models are reported as unknown, because the router has its own rule for them', async () => {
  expect((await ask({ models: ['a', 'b'] })).text).toContain('There is no parameter \\"models\\"');
});

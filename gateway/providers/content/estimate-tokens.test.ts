import { expect, test } from 'vitest';
import { estimateInputTokens, estimateTextTokens } from './estimate-tokens.ts';

test('what a model refused to say is counted like what it said', () => {
  const words = 'I cannot help with that. '.repeat(40);
  const counted = (type: 'text' | 'refusal') =>
    estimateInputTokens(
      [{ role: 'assistant', content: [type === 'text' ? { type, text: words } : { type, refusal: words }] }],
      undefined,
    );
  expect(counted('refusal')).toBe(counted('text'));
  expect(counted('refusal')).toBe(4 + estimateTextTokens(words));
});

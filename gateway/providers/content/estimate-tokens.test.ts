import { expect, test } from 'vitest';
import { estimateInputTokens, estimateTextTokens } from './estimate-tokens.ts';

test('a refusal part counts as many tokens as the same text', () => {
  const words = 'I cannot help with that. '.repeat(40);
  const counted = (type: 'text' | 'refusal') =>
    estimateInputTokens(
      [{ role: 'assistant', content: [type === 'text' ? { type, text: words } : { type, refusal: words }] }],
      undefined,
    );
  expect(counted('refusal')).toBe(counted('text'));
  expect(counted('refusal')).toBe(4 + estimateTextTokens(words));
});

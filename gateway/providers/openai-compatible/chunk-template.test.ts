import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkReader } from './completion-chunks.ts';

const delta = fc.oneof(
  { weight: 8, arbitrary: fc.record({ content: fc.string({ unit: 'binary' }) }) },
  fc.record({ content: fc.constantFrom('', '"', '","finish_reason":"stop","x":"', '\\', '"content":"a"') }),
  fc.record({ reasoning_content: fc.string() }),
  fc.record({ content: fc.string(), refusal: fc.string() }),
  fc.constant({ role: 'assistant', content: '' }),
  fc.constant({}),
);
const chunk = fc.record({
  id: fc.constantFrom('c', 'c', 'c', '"content":"x"'),
  choices: fc.tuple(
    fc.record({ index: fc.constant(0), delta, finish_reason: fc.constantFrom(null, null, null, null, 'stop') }),
  ),
  usage: fc.constantFrom(undefined, undefined, undefined, { prompt_tokens: 1, completion_tokens: 2 }),
});

test('a chunk gives the same events whether it is read alone or after others', () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 20 }), fc.constantFrom(0, 1), (chunks, indent) => {
      const texts = chunks.map((piece) => JSON.stringify(piece, null, indent));
      const reader = new ChunkReader('x');
      for (const [position, text] of texts.entries()) {
        const alone = new ChunkReader('x');
        const own = alone.read(text).filter(({ type }) => type !== 'start');
        const together = reader.read(text).filter(({ type }) => type !== 'start');
        expect(together, `chunk ${position}`).toEqual(own);
      }
    }),
    { numRuns: 1_000 },
  );
});

import { expect, test } from 'vitest';
import { createCollector } from './collect-answer.ts';
import type { DeltaPart } from './stream-writer.ts';

/** Each part takes 16 characters besides its text, of 64 MiB; pictures are counted apart, up to 64 MiB. */
const most = 'x'.repeat(67_108_864 - 16);
const picture: DeltaPart = { type: 'image', url: 'x'.repeat(33_554_432) };

test.each<[string, readonly DeltaPart[], DeltaPart]>([
  ['text', [{ type: 'text-delta', text: most }], { type: 'text-delta', text: '' }],
  ['thinking', [{ type: 'reasoning-delta', text: most }], { type: 'refusal-delta', text: '' }],
  [
    'calls',
    [{ type: 'tool-call-delta', index: 0, arguments: most }],
    { type: 'tool-call-delta', index: 0, arguments: '' },
  ],
  ['pictures', [picture, picture], { type: 'image', url: 'x' }],
])('an answer is ended where its %s would be more than is kept', (_what, whole, more) => {
  const collector = createCollector();
  for (const part of whole) collector.add(part);
  expect(() => collector.add(more)).toThrow(
    expect.objectContaining({ code: 'upstream_bad_response', origin: 'gateway' }),
  );
});

test('an answer of as many one-token parts as models write is collected completely', () => {
  const collector = createCollector();
  for (let index = 0; index < 400_000; index += 1) collector.add({ type: 'text-delta', text: 'ab ' });
  expect(collector.result().text).toHaveLength(1_200_000);
});

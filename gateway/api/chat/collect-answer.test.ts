import { expect, test } from 'vitest';
import { createCollector } from './collect-answer.ts';
import type { DeltaPart } from './stream-writer.ts';

/**
 * An answer may have 64 Mi characters. Each part counts 16 of them besides its text. Images have a limit of their own, which is as large.
 */
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
])('collecting an answer fails when its %s would exceed the limit', (_what, largest, more) => {
  const collector = createCollector();
  for (const part of largest) collector.add(part);
  expect(() => collector.add(more)).toThrow(
    expect.objectContaining({ code: 'upstream_bad_response', origin: 'gateway' }),
  );
});

test('an answer of as many one-token parts as models write is collected completely', () => {
  const collector = createCollector();
  for (let index = 0; index < 400_000; index += 1) collector.add({ type: 'text-delta', text: 'ab ' });
  expect(collector.result().text).toHaveLength(1_200_000);
});

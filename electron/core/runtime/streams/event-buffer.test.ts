import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEventBuffer, type ThreadChange } from './thread-readers.ts';

const delta = (offset: number, text: string, type: 'text-delta' | 'reasoning-delta' = 'text-delta'): ThreadChange => ({
  type,
  messageId: 'm',
  offset,
  text,
});
const ended = { type: 'message-updated', message: { id: 'm' } } as ThreadChange;

test('consecutive deltas of one kind are joined, with the offset of the first', () => {
  const buffer = openEventBuffer();
  for (const event of [delta(0, 'Hel'), delta(3, 'lo'), delta(0, 'hm', 'reasoning-delta'), delta(5, '!'), ended]) {
    buffer.add(event);
  }
  expect(buffer.take()).toEqual({
    overflow: false,
    events: [delta(0, 'Hello'), delta(0, 'hm', 'reasoning-delta'), delta(5, '!'), ended],
  });
  expect(buffer.take()).toEqual({ overflow: false, events: [] });
});

test('a reader that does not read costs one buffer and then needs a snapshot, without missing the end of an answer', () => {
  const buffer = openEventBuffer();
  for (let index = 0; index < 2000; index += 1) buffer.add(delta(index * 1000, 'x'.repeat(1000)));
  buffer.add(ended);
  expect(buffer.take()).toEqual({ overflow: true, events: [ended] });
  buffer.add(delta(2_000_000, 'y'));
  expect(buffer.take()).toEqual({ overflow: false, events: [delta(2_000_000, 'y')] });
});

test('a reader gets exactly the text that was written, whenever it reads', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.boolean())), (steps) => {
      const buffer = openEventBuffer();
      let written = '';
      let read = '';
      const take = () => {
        for (const event of buffer.take().events) {
          if (event.type !== 'text-delta') continue;
          expect(event.offset).toBe(read.length);
          read += event.text;
        }
      };
      for (const [words, reads] of steps) {
        buffer.add(delta(written.length, words));
        written += words;
        if (reads) take();
      }
      take();
      expect(read).toBe(written);
    }),
  );
});

test('deltas of simultaneous answers are joined separately, and the ends of answers stay in order', () => {
  const buffer = openEventBuffer();
  const other = (offset: number, text: string): ThreadChange => ({ type: 'text-delta', messageId: 'n', offset, text });
  for (let at = 0; at < 500; at += 1) {
    buffer.add(delta(at, 'a'));
    buffer.add(other(at, 'b'));
  }
  buffer.add(ended);
  buffer.add(other(500, 'b'));
  expect(buffer.take()).toEqual({
    overflow: false,
    events: [delta(0, 'a'.repeat(500)), other(0, 'b'.repeat(501)), ended],
  });
});

import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { figure } from '../../../tests/support/figures.ts';
import { createEventSplitter } from './event-stream.ts';

const line = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text}`) },
  fc.constantFrom(
    'data:',
    'data: ',
    'data:x',
    'data:  y',
    ': comment',
    'event: ping',
    'id: 1',
    '',
    ' data: z',
    '\ufeffdata: b',
  ),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n\n', '\n\n', '\n\n', '\n', '\n\n\n', '\r\n\r\n', '\r\r')), { maxLength: 12 })
  .map((parts) => parts.map((part) => part.join('')).join(''));

function parsed(text: string): string[] {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(text);
  return events;
}

const runs = process.env.PORTICO_LONG ? 200_000 : 20_000;

test('the splitter gives the same events as the parser, for any stream in any pieces', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 30 }), { maxLength: 20 }), (text, cuts) => {
      const bytes = Buffer.from(text);
      const splitter = createEventSplitter();
      const events: string[] = [];
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        events.push(...splitter.take(bytes.subarray(from, from + cut)));
        from += cut;
      }
      events.push(...splitter.end());
      // A final CR may be half of a CRLF, so one event may be held back until more arrives.
      expect(events).toEqual(parsed(bytes.toString('utf8')).slice(0, events.length));
      expect(parsed(bytes.toString('utf8')).length - events.length).toBeLessThanOrEqual(text.endsWith('\r') ? 1 : 0);
    }),
    { numRuns: runs },
  );
  figure('fuzz: event streams', `${runs} streams, each cut at up to 20 bytes: the events of the parser`);
});

test('a long event is read, but one above the limit is refused', () => {
  const splitter = createEventSplitter();
  const long = 'x'.repeat(100_000);
  const bytes = Buffer.from(`data: ${long}\n\ndata: y\n\n`);
  const events: string[] = [];
  for (let index = 0; index < bytes.length; index += 5_000)
    events.push(...splitter.take(bytes.subarray(index, index + 5_000)));
  expect(events).toEqual([long, 'y']);
  expect(() => splitter.take(Buffer.from(`data: ${'x'.repeat(2_000_000)}`))).toThrow('larger than the gateway reads');
});

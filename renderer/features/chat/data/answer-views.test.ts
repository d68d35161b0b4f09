import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { createDocumentParser } from '../../../markdown/parser/document-parser.ts';
import { createParsing } from '../../../markdown/parser/parse-documents.ts';
import type { ParseAnswer } from '../../../markdown/parser/parse-messages.ts';
import { createLiveAnswers } from './answer-views.ts';

const running = (change = {}) => fakeMessage({ id: 'a', role: 'assistant', status: 'streaming', ...change });
/** A worker that answers before `postMessage` returns. */
function inPlace() {
  const parse = createParsing();
  let hear = (_event: { data: ParseAnswer }) => {};
  return {
    postMessage(request: Parameters<typeof parse>[0]) {
      for (const data of parse(request)) hear({ data });
    },
    addEventListener(type: 'message' | 'error', listener: never) {
      if (type === 'message') hear = listener;
    },
    terminate() {},
  };
}

/** Flushes when told to. */
function paced() {
  let flush = () => {};
  const answers = createLiveAnswers(createDocumentParser(inPlace), (run) => {
    flush = run;
    return () => {};
  });
  const twice = () => {
    // Once to have it parsed, and once to show what was parsed.
    flush();
    flush();
  };
  return { answers, flush: twice };
}
const words = (answers: ReturnType<typeof createLiveAnswers>, message = running()) =>
  answers
    .view(message)
    .tokens.map((token) => token.raw)
    .join('');

test('pieces that overlap, repeat or come again after a reload make the text once', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z ]{1,80}$/),
      fc.array(fc.tuple(fc.nat(80), fc.nat(20)), { maxLength: 30 }),
      (text, cuts) => {
        const { answers, flush } = paced();
        answers.show(running());
        answers.subscribe(running(), () => {});
        let known = 0;
        for (const [from, length] of [...cuts, [0, 200] as const]) {
          const accepted = answers.addText('a', from, text.slice(from, from + length));
          expect(accepted).toBe(from <= known);
          if (accepted) known = Math.max(known, Math.min(text.length, from + length));
        }
        answers.show(running({ status: 'done', text }));
        flush();
        expect(words(answers).trimEnd()).toBe(text.trimEnd());
      },
    ),
  );
});

test('what was parsed while nobody looked is shown to the next reader', () => {
  const { answers, flush } = paced();
  const message = running({ status: 'done', text: 'one' });
  answers.show(message);
  const leave = answers.subscribe(message, () => {});
  leave();
  flush();
  answers.subscribe(message, () => {});
  expect(words(answers, message)).toBe('one');
  expect(answers.view(message).pending).toBe(false);
});

test('words after a gap are refused', () => {
  const { answers } = paced();
  answers.show(running({ text: 'one' }));
  expect(answers.addText('a', 4, 'three')).toBe(false);
  expect(answers.addText('unknown', 0, 'x')).toBe(false);
  expect(answers.addText('a', 3, ' two')).toBe(true);
});

test('an older copy of a running answer takes nothing away', () => {
  const { answers, flush } = paced();
  answers.show(running({ text: 'one' }));
  answers.subscribe(running(), () => {});
  answers.addText('a', 3, ' two');
  answers.show(running({ text: 'one' }));
  flush();
  expect(words(answers)).toBe('one two');
});

test('many pieces between two frames notify once', () => {
  const { answers, flush } = paced();
  answers.show(running());
  let told = 0;
  answers.subscribe(running(), () => {
    told++;
  });
  for (let at = 0; at < 100; at++) answers.addText('a', at, 'x');
  flush();
  // One with what arrived, and one with its blocks.
  expect(told).toBeLessThanOrEqual(2);
});

test('what is about to be seen is parsed before it is drawn', async () => {
  const { answers, flush } = paced();
  const done = running({ status: 'done', text: '*one*' });
  expect(answers.view(done)).toMatchObject({ tokens: [], pending: true });
  const prepared = answers.prepare([done], 60_000);
  flush();
  await prepared;
  expect(answers.view(done)).toMatchObject({ pending: false, live: false, tokens: [{ type: 'paragraph' }] });
});

test('preparing waits no longer than its limit', async () => {
  const { answers } = paced();
  await answers.prepare([running({ status: 'done', text: 'never flushed' })], 1);
});

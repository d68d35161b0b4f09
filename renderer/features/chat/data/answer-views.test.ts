import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { createDocumentParser } from '../../../markdown/parser/document-parser.ts';
import { createParsing } from '../../../markdown/parser/parse-documents.ts';
import type { ParseAnswer } from '../../../markdown/parser/parse-messages.ts';
import { createLiveAnswers } from './answer-views.ts';

const running = (change = {}) => fakeMessage({ id: 'a', role: 'assistant', status: 'streaming', ...change });
/** A worker that answers before `postMessage` returns. */
function createInlineWorker() {
  const parse = createParsing();
  let receive = (_event: { data: ParseAnswer }) => {};
  return {
    postMessage(request: Parameters<typeof parse>[0]) {
      for (const data of parse(request)) receive({ data });
    },
    addEventListener(type: 'message' | 'error', listener: never) {
      if (type === 'message') receive = listener;
    },
    terminate() {},
  };
}

/** Creates live answers that flush only when the test calls `flush`. */
function createAnswers() {
  let flush = () => {};
  const answers = createLiveAnswers(createDocumentParser(createInlineWorker), (run) => {
    flush = run;
    return () => {};
  });
  const twice = () => {
    // The first flush sends the text to the parser, the second shows the parsed blocks.
    flush();
    flush();
  };
  return { answers, flush: twice };
}
const getText = (answers: ReturnType<typeof createLiveAnswers>, message = running()) =>
  answers
    .view(message)
    .tokens.map((token) => token.raw)
    .join('');

test('chunks that overlap or repeat, such as after a reload, add each character of the text once', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z ]{1,80}$/),
      fc.array(fc.tuple(fc.nat(80), fc.nat(20)), { maxLength: 30 }),
      (text, cuts) => {
        const { answers, flush } = createAnswers();
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
        expect(getText(answers).trimEnd()).toBe(text.trimEnd());
      },
    ),
  );
});

test('text that was parsed without a subscriber is shown to the next subscriber', () => {
  const { answers, flush } = createAnswers();
  const message = running({ status: 'done', text: 'one' });
  answers.show(message);
  const leave = answers.subscribe(message, () => {});
  leave();
  flush();
  answers.subscribe(message, () => {});
  expect(getText(answers, message)).toBe('one');
  expect(answers.view(message).pending).toBe(false);
});

test('a chunk is refused when text before it is missing', () => {
  const { answers } = createAnswers();
  answers.show(running({ text: 'one' }));
  expect(answers.addText('a', 4, 'three')).toBe(false);
  expect(answers.addText('unknown', 0, 'x')).toBe(false);
  expect(answers.addText('a', 3, ' two')).toBe(true);
});

test('an older copy of a running answer does not remove newer text', () => {
  const { answers, flush } = createAnswers();
  answers.show(running({ text: 'one' }));
  answers.subscribe(running(), () => {});
  answers.addText('a', 3, ' two');
  answers.show(running({ text: 'one' }));
  flush();
  expect(getText(answers)).toBe('one two');
});

test('many chunks between two frames notify a subscriber at most twice', () => {
  const { answers, flush } = createAnswers();
  answers.show(running());
  let notified = 0;
  answers.subscribe(running(), () => {
    notified++;
  });
  for (let offset = 0; offset < 100; offset++) answers.addText('a', offset, 'x');
  flush();
  // One notification for the text that arrived, and one for its parsed blocks.
  expect(notified).toBeLessThanOrEqual(2);
});

test('a prepared answer is parsed before it is rendered', async () => {
  const { answers, flush } = createAnswers();
  const done = running({ status: 'done', text: '*one*' });
  expect(answers.view(done)).toMatchObject({ tokens: [], pending: true });
  const prepared = answers.prepare([done], 60_000);
  flush();
  await prepared;
  expect(answers.view(done)).toMatchObject({ pending: false, live: false, tokens: [{ type: 'paragraph' }] });
});

test('preparing an answer waits no longer than its limit', async () => {
  const { answers } = createAnswers();
  await answers.prepare([running({ status: 'done', text: 'never flushed' })], 1);
});

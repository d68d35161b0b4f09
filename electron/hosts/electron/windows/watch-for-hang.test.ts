import { expect, test } from 'vitest';
import { unansweredQuestions } from './watch-for-hang.ts';

function watched() {
  let now = 0;
  const questions = unansweredQuestions(() => now);
  return {
    ...questions,
    after(ms: number) {
      now += ms;
      return questions.next();
    },
  };
}

test('a page that leaves a ping unanswered for eight seconds hangs, and one that answers late does not', () => {
  const { after } = watched();
  const answer = after(2000);
  expect([after(2000), after(2000), after(2000)]).toEqual([null, null, null]);
  if (typeof answer === 'function') answer();
  expect(after(2000)).toBeTypeOf('function');
  expect([after(2000), after(2000), after(2000), after(2000)]).toEqual([null, null, null, 'hung']);
  expect(after(2000)).toBeTypeOf('function');
});

test('a sleeping computer is not taken for a hanging page', () => {
  const { after } = watched();
  after(2000);
  expect([after(3_600_000), after(60_000), after(2000), after(2000), after(2000)]).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(after(2000)).toBe('hung');
});

test('a ping to a page that is gone counts neither for nor against the next page', () => {
  const { after, forget } = watched();
  const old = after(2000);
  after(2000);
  forget();
  expect(after(2000)).toBeTypeOf('function');
  if (typeof old === 'function') old();
  expect([after(2000), after(2000), after(2000), after(2000)]).toEqual([null, null, null, 'hung']);
});

import { expect, test } from 'vitest';
import { filledIn, getVariables, triggerAt } from './composer-menu.ts';

test.each([
  ['/', 1, { sign: '/', query: '', start: 0 }],
  ['/tidy', 5, { sign: '/', query: 'tidy', start: 0 }],
  ['and/or', 6, null],
  ['hi @clau', 8, { sign: '@', query: 'clau', start: 3 }],
  ['mail me@home', 12, null],
  ['/one\ntwo', 8, null],
])('%j with the caret at %i asks for %j', (text, caret, trigger) => {
  expect(triggerAt(text, caret)).toEqual(trigger);
});

test('each variable is asked for once, and what is filled in is not read as a variable again', () => {
  const text = 'Say {{what}} in {{ language }}, then {{what}} again.';
  expect(getVariables(text)).toEqual(['what', 'language']);
  expect(filledIn(text, { what: '{{language}}', language: 'Greek' })).toBe(
    'Say {{language}} in Greek, then {{language}} again.',
  );
});

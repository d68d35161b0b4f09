import { expect, test } from 'vitest';
import { fillIn, findTrigger, getVariables } from './composer-menu.ts';

test.each([
  ['/', 1, { sign: '/', query: '', start: 0 }],
  ['/tidy', 5, { sign: '/', query: 'tidy', start: 0 }],
  ['and/or', 6, null],
  ['hi @clau', 8, { sign: '@', query: 'clau', start: 3 }],
  ['mail me@home', 12, null],
  ['/one\ntwo', 8, null],
])('the text %j with the caret at %i gives the menu trigger %j', (text, caret, trigger) => {
  expect(findTrigger(text, caret)).toEqual(trigger);
});

test('each variable of a prompt is listed once, and a filled-in value is not treated as a variable', () => {
  const text = 'Say {{what}} in {{ language }}, then {{what}} again.';
  expect(getVariables(text)).toEqual(['what', 'language']);
  expect(fillIn(text, { what: '{{language}}', language: 'Greek' })).toBe(
    'Say {{language}} in Greek, then {{language}} again.',
  );
});

import { expect, test } from 'vitest';
import { createDraftHistory } from './drafts-store.ts';

function typist() {
  let time = 0;
  const history = createDraftHistory(() => time);
  let text = '';
  return {
    type(words: string, pauseMs = 50) {
      for (const letter of words) {
        time += pauseMs;
        history.changed('chat', text, text + letter);
        text += letter;
      }
    },
    put(words: string) {
      history.changed('chat', text, words);
      text = words;
    },
    step(direction: -1 | 1) {
      const found = history.step('chat', text, direction);
      text = found ?? text;
      return found;
    },
    history,
  };
}

test('undo goes back word by word, and replacing the text is one step', () => {
  const { type, put, step } = typist();
  type('two words');
  put('Explain this:');
  expect([step(-1), step(-1), step(-1), step(-1)]).toEqual(['two words', 'two ', '', null]);
  expect([step(1), step(1), step(1), step(1)]).toEqual(['two ', 'two words', 'Explain this:', null]);
});

test('a pause starts a new undo step, and typing clears the redo steps', () => {
  const { type, step } = typist();
  type('ab');
  type('c', 5000);
  expect(step(-1)).toBe('ab');
  type('d');
  expect(step(1)).toBeNull();
  expect(step(-1)).toBe('ab');
});

test('the undo history is limited in length and dropped after sending', () => {
  const { put, step, history } = typist();
  for (let index = 0; index < 300; index++) put(`text ${index}`);
  let steps = 0;
  while (step(-1) !== null) steps++;
  expect(steps).toBe(200);
  put('x'.repeat(5_000_000));
  put('y');
  expect(step(-1)).toBeNull();
  history.forget('chat');
  expect(step(1)).toBeNull();
});

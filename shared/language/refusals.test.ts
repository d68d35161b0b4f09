import { expect, test } from 'vitest';
import { messages } from './messages.ts';
import { refusalWords } from './refusal-words.ts';
import { refusal, sentenceIn, toProblemText } from './refusals.ts';

const pseudo = messages(refusalWords)('en-XA');

test('an error has its English sentence and the name and values that another language needs', () => {
  const error = refusal('invalid_input', 'folderNameTaken', { name: 'Work' }, { details: { param: 'name' } });
  expect(error).toMatchObject({
    code: 'invalid_input',
    message: 'There is a folder named "Work" already. Choose another name.',
    details: { param: 'name' },
    refusal: { name: 'folderNameTaken', values: { name: 'Work' } },
  });
  expect(error.refusal && sentenceIn(pseudo, error.refusal)).toMatch(/^⟦There is a folder named "Work".*⟧$/);
});

test('a refusal without parameters takes its details in their place', () => {
  const cause = new Error('EIO');
  const error = refusal('file_download_failed', 'pictureDamaged', { cause });
  expect(error).toMatchObject({ message: 'The picture is not shown: it is damaged.', cause });
  expect(error.refusal).toEqual({ name: 'pictureDamaged', values: {} });
});

test('a sentence within a sentence is translated with it, and one from another program stays unchanged', () => {
  const ours = refusal('context_length_exceeded', 'noRoom', { why: toProblemText('notEnoughRoom') });
  expect(ours.message).toContain('room: One summary was not enough.');
  expect(ours.refusal && sentenceIn(pseudo, ours.refusal)).toContain('room: ⟦Öñé ');
  const theirs = refusal('context_length_exceeded', 'noRoom', { why: { message: 'Nope.', refusal: null } });
  expect(theirs.message).toContain('room: Nope.');
});

test.each(['of another version', 'toString', '__proto__'])(
  'a name that is in no catalogue has no sentence: %s',
  (name) => {
    expect(sentenceIn(refusalWords, { name, values: {} })).toBeNull();
  },
);

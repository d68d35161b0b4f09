import { expect, test } from 'vitest';
import type { Draft } from '#shared/contract/chat/drafts.ts';
import { mergedDraft } from './merged-draft.ts';

const draft = (text: string, more: Partial<Draft> = {}): Draft =>
  Object.assign({ text, attachments: [], model: null, compare: [] }, more);
const file = (name: string) => ({
  id: name,
  name,
  kind: 'text' as const,
  mediaType: 'text/plain',
  bytes: 1,
  tokens: 1,
});

test.each([
  ['nobody', 'a', 'a', 'a', 'a'],
  ['this window', 'a', 'a b', 'a', 'a b'],
  ['the other window', 'a', 'a', 'a c', 'a c'],
  ['both windows in the same way', 'a', 'a b', 'a b', 'a b'],
  ['both windows at the end', 'a', 'a b', 'a c', 'a c b'],
  ['both windows from the beginning', 'a', 'b', 'c', 'c\n\nb'],
  ['this window after the other one had sent it', 'a', 'a b', '', 'a b'],
  ['the other window after this one had sent it', 'a', '', 'a c', 'a c'],
])('a merged draft loses no text that was changed by %s', (_, base, mine, theirs, merged) => {
  expect(mergedDraft(draft(base), draft(mine), draft(theirs)).text).toBe(merged);
});

test('a merged draft has the files added by both sides, none that either removed, and the model chosen here', () => {
  const [first, two, three] = [file('1'), file('2'), file('3')];
  const merged = mergedDraft(
    draft('', { attachments: [first, two], model: 'x/1' }),
    draft('', { attachments: [first, three], model: 'x/2' }),
    draft('', { attachments: [first, two], model: 'x/3', compare: ['x/3', 'x/4'] }),
  );
  expect(merged).toEqual(draft('', { attachments: [first, three], model: 'x/2', compare: ['x/3', 'x/4'] }));
});

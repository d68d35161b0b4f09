import { expect, test } from 'vitest';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';

const draft = (text: string) => ({ text, attachments: [], model: null, compare: [] });

test('a draft that was changed by another window meanwhile is not overwritten, but given back', async () => {
  const { client } = await coreOfTest();
  const chat = 'a-chat';
  const first = await client.drafts.put({ chat, draft: draft('one'), savedAt: null });
  expect(first.other).toBeNull();
  const second = await client.drafts.put({ chat, draft: draft('one two'), savedAt: first.savedAt });
  expect(second.other).toBeNull();
  const late = await client.drafts.put({ chat, draft: draft('one three'), savedAt: first.savedAt });
  expect(late).toEqual({ savedAt: second.savedAt, other: draft('one two') });
  expect(await client.drafts.get({ chat })).toEqual({ ...draft('one two'), savedAt: second.savedAt });

  const sent = await client.drafts.put({ chat, draft: draft(''), savedAt: second.savedAt });
  expect(sent).toEqual({ savedAt: null, other: null });
  const gone = await client.drafts.put({ chat, draft: draft('one two, and on'), savedAt: second.savedAt });
  expect(gone).toEqual({ savedAt: null, other: draft('') });
});

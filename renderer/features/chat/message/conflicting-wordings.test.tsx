import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

test('an edit of a message is saved even if another window opened the same message first and typed nothing', async () => {
  const question = fakeMessage({
    id: 'q',
    conversationId: 'c2',
    text: 'Count the columns',
    parentId: null,
    role: 'user',
  });
  const answer = fakeMessage({ id: 'a', conversationId: 'c2', text: 'Six.', parentId: 'q', role: 'assistant' });
  const fake = await openApp('#chat/c2', { messages: [question, answer] });
  await expect.poll(() => fake.calls).toContain('messages.view');
  fake.fail('messages.keepEdit', 'internal_error');
  const asked = page.getByRole('article').first();
  await asked.hover();
  await asked.getByRole('button', { name: 'Edit message' }).click();
  await expect.poll(() => fake.calls).toContain('messages.keepEdit');
  fake.data.edits.set('q', 'Count the columns');
  fake.fail('messages.keepEdit', null);
  await page.getByRole('textbox', { name: 'New wording' }).fill('Count the columns and the steps');
  await expect.poll(() => fake.data.edits.get('q')).toBe('Count the columns and the steps');
});

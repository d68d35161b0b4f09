import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const thread = page.getByRole('log', { name: 'Conversation' });

const messages = [
  fakeMessage({ id: 'q1', conversationId: 'c2', text: 'The first question' }),
  fakeMessage({ id: 'a1', conversationId: 'c2', parentId: 'q1', role: 'assistant', text: 'The first answer' }),
  fakeMessage({ id: 'q2', conversationId: 'c2', parentId: 'a1', text: 'The second question' }),
  fakeMessage({ id: 'a2', conversationId: 'c2', parentId: 'q2', role: 'assistant', text: 'The second answer' }),
];

test('deleting messages with selected text leaves the messages before them visible, and undo restores the deleted ones', async () => {
  await openApp('#chat/c2', { messages });
  const last = thread.getByText('The second answer');
  await expect.element(last).toBeVisible();
  getSelection()?.selectAllChildren(last.element());
  await thread.getByText('The second question').hover();
  await thread.getByRole('button', { name: 'Delete message' }).last().click();
  await expect.element(thread.getByText('The second answer')).not.toBeInTheDocument();
  await expect.element(thread.getByText('The first question')).toBeVisible();
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(thread.getByText('The second answer')).toBeVisible();
});

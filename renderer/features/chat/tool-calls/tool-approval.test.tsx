import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ToolRun } from '#shared/contract/chat/conversations.ts';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const call = (name: string, input: string, change: Partial<ToolRun> = {}) => ({
  id: name,
  name,
  arguments: input,
  run: {
    server: 'Files',
    title: name,
    state: 'waiting' as const,
    result: '',
    startedAt: null,
    finishedAt: null,
    ...change,
  },
});
const chat = (toolCalls: ReturnType<typeof call>[], status: 'streaming' | 'interrupted' = 'streaming') => ({
  messages: [
    fakeMessage({ id: 'q', conversationId: 'c1', text: 'Read it' }),
    fakeMessage({
      id: 'a',
      conversationId: 'c1',
      parentId: 'q',
      role: 'assistant',
      status,
      model: 'sandbox/tools',
      finishReason: 'tool_calls',
      toolCalls,
    }),
  ],
});
const group = (name: string) => page.getByRole('group', { name });

test('the approval card takes the focus and shows invisible characters, and each decision applies to its own call', async () => {
  const calls = [call('read', '{"path":"a\u202eb"}'), call('write', '{"n":12345678901234567890}')];
  const fake = await openApp('#chat/c1', chat(calls));
  const first = group('May read of Files run?');
  await expect.element(first).toMatchTextContent('a\\u{202e}b');
  await expect.element(group('May write of Files run?')).toMatchTextContent('12345678901234567890');
  await first.getByRole('button', { name: 'Don’t allow' }).click();
  await expect.poll(() => fake.data.decisions).toEqual([{ messageId: 'a', call: 0, decision: 'deny' }]);
  await expect.element(group('May write of Files run?')).toHaveFocus();
  await group('May write of Files run?').getByRole('button', { name: 'Always allow' }).click();
  await expect.poll(() => fake.data.decisions.at(-1)).toEqual({ messageId: 'a', call: 1, decision: 'always' });
});

test('a key pressed on the approval card decides nothing, and an ended answer offers no decision', async () => {
  const fake = await openApp('#chat/c1', chat([call('read', '{}')]));
  const card = group('May read of Files run?');
  await expect.element(card).toBeVisible();
  (card.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter} ');
  expect(fake.data.decisions).toEqual([]);
  await openApp('#chat/c1', chat([call('read', '{}', { state: 'stopped' })], 'interrupted'));
  await expect.element(page.getByRole('article').last()).toMatchTextContent('stopped');
  await expect.element(card).not.toBeInTheDocument();
});

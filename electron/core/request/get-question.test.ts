import { expect, test } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { getQuestion } from './history.ts';

test('the question of an answer in several parts is found, and a missing one is refused as not found', async () => {
  const message = (id: string, role: Message['role'], parentId: string | null) => ({ id, role, parentId }) as Message;
  const stored = [message('q', 'user', null), message('a', 'assistant', 'q'), message('rest', 'assistant', 'a')];
  const above = async ({ parentId }: Pick<Message, 'parentId'>) =>
    stored.find((candidate) => candidate.id === parentId) ?? null;
  expect((await getQuestion({ above }, message('end', 'assistant', 'rest'))).id).toBe('q');
  for (const parentId of ['nobody', null])
    await expect(getQuestion({ above }, message('end', 'assistant', parentId))).rejects.toMatchObject({
      code: 'not_found',
    });
});

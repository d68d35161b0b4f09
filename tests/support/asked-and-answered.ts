import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { TestCore } from './core-of-test.ts';
import { eventually } from './eventually.ts';
import { readThread } from './read-thread.ts';

/** Sends a question in a new chat and returns the answer once it has ended. */
export async function askedAndAnswered({ client }: Pick<TestCore, 'client'>, model: string, text = 'Hello?') {
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text, model });
  return eventually(async (): Promise<Message> => {
    const [, answer] = (await readThread(client, conversationId)).messages;
    expect(answer?.status).not.toBe('streaming');
    if (!answer) throw new Error('there is no answer yet');
    return answer;
  });
}

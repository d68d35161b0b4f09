import type { Message } from '#shared/contract/conversations.ts';
import { AppError } from '#shared/errors.ts';
import type { MessageStore } from '../conversations/message-store.ts';

/** The user's message that this one answers, above all that it goes on with. */
export async function questionOf(messages: Pick<MessageStore, 'find'>, answer: Message): Promise<Message> {
  const above = answer.parentId === null ? null : await messages.find(answer.parentId);
  if (!above) throw new AppError('not_found', 'This answer is not here any more.');
  return above.role === 'user' ? above : questionOf(messages, above);
}

import type { Message } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { MessageStore } from '../conversations/message-store.ts';

/** The user’s message that an answer, with all its parts, replies to. */
export async function getQuestion(messages: Pick<MessageStore, 'find'>, answer: Message): Promise<Message> {
  const above = answer.parentId === null ? null : await messages.find(answer.parentId);
  if (!above) throw refusal('not_found', 'answerGone');
  return above.role === 'user' ? above : getQuestion(messages, above);
}

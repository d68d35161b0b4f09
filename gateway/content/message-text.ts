import type { ChatMessage } from '#shared/wire/chat-request.ts';

/** The text of a message, its text parts joined; other parts say nothing here. */
export function messageText(message: Pick<ChatMessage, 'content'>): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The text of the last message from the user, or the empty string. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return last ? messageText(last) : '';
}

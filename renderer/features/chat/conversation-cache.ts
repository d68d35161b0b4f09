import type { Conversation, Message } from '#shared/contract/conversations.ts';

export interface Thread {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

/** The shown branch with a new message on it: whatever hung on the same parent gives way. */
export function withAdded(thread: Thread, message: Message): Thread {
  if (message.conversationId !== thread.conversation.id) return thread;
  if (thread.messages.some((entry) => entry.id === message.id)) return withUpdated(thread, message);
  const parent = thread.messages.findIndex((entry) => entry.id === message.parentId);
  return { ...thread, messages: [...thread.messages.slice(0, parent + 1), message] };
}

/** The same branch where it holds the message; a message of another branch changes nothing here. */
export function withUpdated(thread: Thread, message: Message): Thread {
  if (!thread.messages.some((entry) => entry.id === message.id)) return thread;
  return { ...thread, messages: thread.messages.map((entry) => (entry.id === message.id ? message : entry)) };
}

import type { Message } from '#shared/contract/conversations.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';

type WireMessage = CompletionRequestBody['messages'][number];

/** The wire's own limit (wire contract §1.3): of a longer chat the newest messages are sent. */
const mostMessages = 2048;

const ended = new Set<Message['status']>(['done', 'cancelled', 'interrupted']);

/** What is sent to the model: the branch that is shown, up to the question; failed and empty answers are left out. */
export function historyFor(branch: readonly Message[]): WireMessage[] {
  return branch
    .filter((message) => ended.has(message.status) && message.text.trim() !== '')
    .map((message) => ({ role: message.role, content: message.text }))
    .slice(-mostMessages);
}

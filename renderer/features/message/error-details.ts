import type { Message } from '#shared/contract/chat/conversations.ts';
import { withoutKeys } from '#shared/without-keys.ts';

type Failed = Pick<Message, 'requestId' | 'model' | 'finishedAt' | 'createdAt'>;

/** Details of a failed answer to show to others; nothing in them looks like a key. */
export function errorDetails(message: Failed, { code, sentence }: { code: string; sentence: string }): string {
  const { requestId, model, finishedAt, createdAt } = message;
  const at = new Date(finishedAt ?? createdAt).toISOString();
  return JSON.stringify({ code, message: withoutKeys(sentence), requestId, model, at }, null, 2);
}

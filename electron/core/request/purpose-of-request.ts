import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';

/**
 * What a request is for, which our gateway keeps with its record (wire contract §10). To other gateways only what every
 * OpenAI-compatible server takes is sent: they are asked to count the tokens of a streamed answer.
 */
export const purposeOfRequest = (
  other: boolean,
  purpose: string,
  conversationId: string | null,
): Pick<CompletionRequestBody, 'metadata' | 'stream_options'> =>
  other
    ? { stream_options: { include_usage: true } }
    : { metadata: { purpose, ...(conversationId === null ? {} : { conversation_id: conversationId }) } };

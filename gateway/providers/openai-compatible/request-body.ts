import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { ProviderRequest } from '../provider.ts';

/** Where servers of this family differ. */
export interface Dialect {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Gives back what only this server's own extensions know: reasoning text and opaque tool state. */
  readonly keepsExtensions: boolean;
  readonly knowsDeveloperRole: boolean;
}

/** The body of `POST /chat/completions`, always streamed so that usage so far is known when something breaks. */
export function completionBody(request: ProviderRequest, dialect: Dialect): object {
  return {
    ...request.openaiOnly,
    ...request.parameters,
    model: request.model,
    messages: request.messages.map((message) => messageFor(message, dialect)),
    stream: true,
    stream_options: { include_usage: true },
    ...(request.maxTokens === null ? {} : { [dialect.maxTokensField]: request.maxTokens }),
  };
}

function messageFor(message: ChatMessage, dialect: Dialect): object {
  if (message.role === 'developer' && !dialect.knowsDeveloperRole) return { ...message, role: 'system' };
  if (message.role !== 'assistant' || dialect.keepsExtensions) return message;
  const { reasoning_content: _reasoning, tool_calls: calls, ...rest } = message;
  if (!calls) return rest;
  return { ...rest, tool_calls: calls.map(({ extra_content: _extra, ...call }) => call) };
}

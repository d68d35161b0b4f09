import { maxInputTokens, measureInput } from '#gateway/providers/content/input-size.ts';
import type { ChatMessage, CompletionRequestBody } from '#shared/wire/chat-request.ts';

interface Record {
  readonly id: string;
  readonly context_length?: number | null | undefined;
}

/** The most input tokens that a request comes to, where its gateway gives no quotes. */
export function getMaxTokens(body: CompletionRequestBody, record: Record | null): number {
  const [provider = '', ...model] = (record?.id ?? body.model ?? '').split('/');
  const size = measureInput({ messages: body.messages as ChatMessage[], parameters: {} });
  return maxInputTokens(size, { provider, model: model.join('/'), contextLength: record?.context_length ?? null });
}

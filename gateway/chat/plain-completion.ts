import { type ChatMessage, type CompletionRequest, mostOutputTokens } from '#shared/wire/chat-request.ts';

const longestModel = 256;
const mostMessages = 2_048;
const messageFields = new Set(['role', 'content']);

/** The fields of a plain request, each with the whole of its rule; the schema's order does not matter. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === 'string' && value.length >= 1 && value.length <= longestModel,
  stream: (value) => typeof value === 'boolean',
  temperature: (value) => isNumber(value) && value >= 0 && value <= 2,
  top_p: (value) => isNumber(value) && value >= 0 && value <= 1,
  max_tokens: isOutputTokens,
  max_completion_tokens: isOutputTokens,
  messages: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= mostMessages && value.every(isPlainMessage),
};

/**
 * The request itself where it is of the plainest and commonest kind: text messages and a few scalars. Null for all others,
 * right or wrong: those are the schema's. What is accepted here, `completionRequest` accepts with the same value; the
 * property test beside this file holds the two together.
 */
export function plainCompletion(body: Record<string, unknown>): CompletionRequest | null {
  if (body.messages === undefined) return null;
  for (const name of Object.keys(body)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check?.(body[name])) return null;
  }
  return body as unknown as CompletionRequest;
}

function isOutputTokens(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= mostOutputTokens;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isPlainMessage(value: unknown): value is ChatMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { role, content } = value as Record<string, unknown>;
  if (typeof content !== 'string') return false;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'developer') return false;
  return Object.keys(value).every((name) => messageFields.has(name));
}

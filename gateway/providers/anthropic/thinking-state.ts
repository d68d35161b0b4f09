import type { ToolCall } from '#shared/wire/chat-request.ts';
import { asArray, asObject, type JsonObject } from '../../lib/json-value.ts';

/**
 * Signed thinking must come back unchanged before the tool calls that it led to. It travels as
 * `extra_content.anthropic.thinking` of the first of these calls, like Google's signatures do (wire contract §1.6).
 */
export const withThinking = (blocks: readonly JsonObject[]): JsonObject => ({ anthropic: { thinking: blocks } });

/** The blocks that came back with an assistant's tool calls. */
export function thinkingOf(calls: readonly ToolCall[]): JsonObject[] {
  return calls.flatMap((call) =>
    asArray(asObject(asObject(call.extra_content).anthropic).thinking)
      .map(asObject)
      .filter((block) => block.type === 'thinking' || block.type === 'redacted_thinking'),
  );
}

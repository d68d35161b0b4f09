import type { ToolCall } from '#shared/wire/chat-request.ts';
import { asArray, asObject, type JsonObject } from '../../json/json-value.ts';

/**
 * Signed thinking must come back unchanged before the tool calls that it led to. It travels as
 * `extra_content.anthropic.thinking` of the first of these calls, like Google's signatures do (wire contract §1.6).
 */
export const withThinking = (blocks: readonly JsonObject[]): JsonObject => ({ anthropic: { thinking: blocks } });

/** The blocks that came back with an assistant's tool calls: their texts, and nothing that a caller added to them. */
export function thinkingOf(calls: readonly ToolCall[]): JsonObject[] {
  return calls.flatMap((call) =>
    asArray(asObject(asObject(call.extra_content).anthropic).thinking)
      .map(asObject)
      .flatMap(knownBlock),
  );
}

function knownBlock({ type, thinking, signature, data }: JsonObject): JsonObject[] {
  if (type === 'thinking') return [texts({ type, thinking, signature })];
  return type === 'redacted_thinking' ? [texts({ type, data })] : [];
}

const texts = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([, value]) => typeof value === 'string'));

import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ToolCall } from '#shared/wire/chat-request.ts';

/**
 * Signed thinking must be sent back unchanged before the tool calls that it led to. It travels as
 * `extra_content.anthropic.thinking` of the call after it, as Google's signatures do (wire contract §1.6). The name of
 * its model travels with it, because the newest models refuse the thinking of another model.
 */
export const withThinking = (blocks: readonly JsonObject[], model: string): JsonObject => ({
  anthropic: { thinking: blocks, model },
});

/**
 * Returns the thinking blocks that came back with a call. Only their known text fields are kept, so that a caller can't
 * add anything.
 */
export function getThinking(call: ToolCall, model: string): JsonObject[] {
  const { thinking, model: thinker } = asObject(asObject(call.extra_content).anthropic);
  if (thinker !== undefined && thinker !== model) return [];
  return asArray(thinking).map(asObject).flatMap(knownBlock);
}

function knownBlock({ type, thinking, signature, data }: JsonObject): JsonObject[] {
  if (type === 'thinking') return [texts({ type, thinking, signature })];
  return type === 'redacted_thinking' ? [texts({ type, data })] : [];
}

const texts = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([, value]) => typeof value === 'string'));

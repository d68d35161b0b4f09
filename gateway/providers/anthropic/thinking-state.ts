import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ToolCall } from '#shared/wire/chat-request.ts';

/**
 * Signed thinking must come back unchanged before the tool calls that it led to. It travels as
 * `extra_content.anthropic.thinking` of the call after it, like Google's signatures do (wire contract §1.6), with the name of
 * its model: the newest refuse what another one thought.
 */
export const withThinking = (blocks: readonly JsonObject[], model: string): JsonObject => ({
  anthropic: { thinking: blocks, model },
});

/** The blocks that came back with a call: their texts, and nothing that a caller added to them. */
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

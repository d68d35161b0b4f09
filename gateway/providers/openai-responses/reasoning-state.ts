import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ToolCall } from '#shared/wire/chat-request.ts';

/**
 * Reasoning items must be sent back before the calls that they led to. They are encrypted, because OpenAI stores
 * nothing (`store: false`). They travel as `extra_content.openai.reasoning_details` of the call after them (wire
 * contract §1.6), in the form that OpenRouter made common. The name of their model travels with them, because OpenAI
 * can only decrypt a model's own items.
 */
export const withReasoning = (items: readonly JsonObject[], model: string): JsonObject => ({
  openai: { reasoning_details: items.flatMap(getDetails), model },
});

const format = 'openai-responses-v1';

function getDetails({ id, encrypted_content: data, summary }: JsonObject, index: number): JsonObject[] {
  const own = { id, format, index };
  const texts = asArray(summary).map((part) => asText(asObject(part).text) ?? '');
  return [
    ...texts.map((text) => ({ type: 'reasoning.summary', summary: text, ...own })),
    { type: 'reasoning.encrypted', data, ...own },
  ];
}

/**
 * Returns the reasoning items that came back with a call. Only their known fields are kept, so that a caller can't add
 * anything.
 */
export function getReasoning(call: ToolCall, model: string): JsonObject[] {
  const { reasoning_details: details, model: thinker } = asObject(asObject(call.extra_content).openai);
  if (thinker !== model) return [];
  const known = asArray(details).map(asObject);
  return known.flatMap((detail) => {
    const { type, id, data } = detail;
    if (type !== 'reasoning.encrypted' || typeof data !== 'string' || !isItemId(id)) return [];
    const texts = known.filter((other) => other.type === 'reasoning.summary' && other.id === id);
    const summary = texts.flatMap(({ summary: text }) =>
      typeof text === 'string' ? [{ type: 'summary_text', text }] : [],
    );
    return [{ type: 'reasoning', id, encrypted_content: data, summary }];
  });
}

const isItemId = (id: unknown) => typeof id === 'string' && /^[\w-]{1,128}$/.test(id);

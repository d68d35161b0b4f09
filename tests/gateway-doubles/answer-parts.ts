import fc from 'fast-check';
import type { DeltaPart } from '../../gateway/api/chat/stream-writer.ts';

/** `__proto__` is left out, because no parsed record can have a field of that name. */
const words = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '' && text !== '__proto__');
const state = fc.option(fc.dictionary(words, fc.oneof(words, fc.array(words))), { nil: null });
const textPart = fc.record({ type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const), text: words });
const call = fc.record({ name: words, state, arguments: fc.dictionary(words, fc.oneof(words, fc.integer())) });

/** Generates answers of a model: text and reasoning in any order, and tool calls, some with their provider's state. */
export const answerParts: fc.Arbitrary<DeltaPart[]> = fc
  .tuple(fc.array(fc.oneof(textPart, call), { minLength: 1, maxLength: 8 }), words)
  .map(([pieces, last]) => {
    let index = -1;
    const parts = pieces.flatMap((piece): DeltaPart[] => {
      if ('type' in piece) return [piece];
      index += 1;
      const extra = piece.state === null ? {} : { extraContent: piece.state };
      const json = JSON.stringify(piece.arguments);
      const half = Math.floor(json.length / 2);
      return [
        { type: 'tool-call-start', index, id: `call_${index}`, name: piece.name, ...extra },
        { type: 'tool-call-delta', index, arguments: json.slice(0, half) },
        { type: 'tool-call-delta', index, arguments: json.slice(half) },
      ];
    });
    return [...parts, { type: 'text-delta', text: last }];
  });

/** Converts an answer to the assistant message of a chat completion, with adjacent pieces of text joined. */
export function toMessages(parts: readonly DeltaPart[]): object[] {
  const texts: string[] = [];
  const calls: { id: string; name: string; text: string; extra?: object }[] = [];
  let thoughts = '';
  let before: string | null = null;
  for (const part of parts) {
    if (part.type === 'text-delta' && before === 'text-delta') texts.push((texts.pop() ?? '') + part.text);
    else if (part.type === 'text-delta') texts.push(part.text);
    else if (part.type === 'reasoning-delta') thoughts += part.text;
    else if (part.type === 'tool-call-start') {
      const extra = part.extraContent ? { extra: part.extraContent } : {};
      calls.push({ id: part.id, name: part.name, text: '', ...extra });
    } else if (part.type === 'tool-call-delta') {
      const last = calls.at(-1);
      if (last) last.text += part.arguments;
    }
    before = part.type;
  }
  const toolCalls = calls.map(({ id, name, text, extra }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
    ...(extra ? { extra_content: extra } : {}),
  }));
  return [
    {
      role: 'assistant',
      content: texts.map((text) => ({ type: 'text', text })),
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      ...(thoughts ? { reasoning_content: thoughts } : {}),
    },
  ];
}

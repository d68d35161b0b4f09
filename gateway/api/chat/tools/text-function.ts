import type { JsonObject } from '#shared/json/foreign-json.ts';
import { textField } from '../../../providers/content/client-tools.ts';

interface Grammar {
  readonly syntax: string;
  readonly definition: string;
}

/** A function with one text that stands for a custom tool. A grammar becomes an instruction. */
export function textFunction(name: string, description: string | null, grammar: Grammar | null): JsonObject {
  const words = grammar
    ? `"${textField}" must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
    : `"${textField}" is plain text.`;
  return {
    name,
    description: description ? `${description}\n\n${words}` : words,
    parameters: {
      type: 'object',
      properties: { [textField]: { type: 'string' } },
      required: [textField],
      additionalProperties: false,
    },
  };
}

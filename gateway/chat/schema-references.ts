import { AppError } from '#shared/errors.ts';
import type { CompletionRequest } from '#shared/wire/chat-request.ts';

const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Refuses schemas that refer to a place outside themselves: a server that resolves the reference would fetch it. */
export function checkReferences({
  tools,
  response_format: format,
}: Pick<CompletionRequest, 'tools' | 'response_format'>): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    checkSchema(tool.function.parameters, `tools[${index}].function.parameters`);
  }
  if (format?.type === 'json_schema') checkSchema(format.json_schema.schema, 'response_format.json_schema.schema');
}

function checkSchema(schema: unknown, param: string): void {
  const left: unknown[] = [schema];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (references.has(key) && typeof inner === 'string' && !inner.startsWith('#')) throw outside(param, key);
      if (inner !== undefined) left.push(inner);
    }
  }
}

const outside = (param: string, key: string) =>
  new AppError('invalid_value', `A "${key}" in "${param}" must stay inside the schema, such as "#/$defs/name".`, {
    param,
  });

import type { ProviderRequest } from './provider.ts';

/**
 * Returns an instruction that asks for the answer's format in words, for models and servers that have no field for it.
 * Empty if no format is requested.
 */
export function formatInWords({
  response_format: format,
}: Pick<ProviderRequest['parameters'], 'response_format'>): string {
  if (!format || format.type === 'text') return '';
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  const rule = schema ? ` It must follow this JSON schema: ${JSON.stringify(schema)}` : '';
  return `Answer with one valid JSON object and nothing else.${rule}`;
}

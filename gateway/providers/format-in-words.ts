import type { ProviderRequest } from './provider.ts';

/** What asks for the answer's format in words, of models and servers that know no other way. Empty where none is asked for. */
export function formatInWords({
  response_format: format,
}: Pick<ProviderRequest['parameters'], 'response_format'>): string {
  if (!format || format.type === 'text') return '';
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  const rule = schema ? ` It must follow this JSON schema: ${JSON.stringify(schema)}` : '';
  return `Answer with one valid JSON object and nothing else.${rule}`;
}

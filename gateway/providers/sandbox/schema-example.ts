/** Makes a plausible value for a JSON schema: the first allowed one, bounded in depth so that a recursive schema ends. */
export function getExample(schema: Readonly<Record<string, unknown>>, question: string, depth = 0): unknown {
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length) return schema.enum[0];
  const branch = firstSchema(schema.anyOf) ?? firstSchema(schema.oneOf) ?? firstSchema(schema.allOf);
  if (branch && depth < maxDepth) return getExample(branch, question, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return exampleText(schema, question);
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const items = asSchema(schema.items);
      return items && depth < maxDepth ? [getExample(items, question, depth + 1)] : [];
    }
    default:
      return exampleObject(schema, question, depth);
  }
}

const maxDepth = 5;

const asSchema = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

const firstSchema = (value: unknown) => (Array.isArray(value) ? asSchema(value[0]) : null);

function exampleText(schema: Readonly<Record<string, unknown>>, question: string): string {
  const formats: Readonly<Record<string, string>> = {
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
    uri: 'https://example.com/',
    email: 'someone@example.com',
  };
  const known = formats[String(schema.format)];
  if (known) return known;
  const max = typeof schema.maxLength === 'number' ? Math.min(schema.maxLength, 200) : 200;
  return question.slice(0, max) || 'example'.slice(0, max);
}

function exampleObject(schema: Readonly<Record<string, unknown>>, question: string, depth: number): object {
  const properties = asSchema(schema.properties) ?? {};
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(properties);
  if (depth >= maxDepth) return {};
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, value]) => [name, getExample(asSchema(value) ?? {}, question, depth + 1)]),
  );
}

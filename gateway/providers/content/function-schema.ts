import { asArray, asObject, isObject, type JsonObject } from '#shared/json/foreign-json.ts';

/**
 * Schemas of functions as OpenAI and Anthropic take them: an object at the top that lists its properties, without a choice between
 * several schemas (https://github.com/mark3labs/mcphost/issues/88).
 */

const choices = ['anyOf', 'oneOf', 'allOf'] as const;

/** True if the schema has a choice at its top. Then `functionSchema` changes what it allows. */
export const hasTopChoice = (schema: JsonObject | undefined): boolean =>
  schema !== undefined && choices.some((name) => Array.isArray(schema[name]));

/** Returns a schema with `type: "object"` and `properties`. Returns the same object if it has both already. */
export function functionSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return { type: 'object', properties: {} };
  if (schema.type === 'object' && isObject(schema.properties)) return schema;
  return { ...schema, type: 'object', properties: asObject(schema.properties) };
}

/**
 * Merges the choices at the top of a schema into one object: all properties of all of them, and as required only those that each
 * of them requires. The model may then combine what the schema kept apart, so a note in the description names the choices.
 */
export function withoutTopChoice(schema: JsonObject): JsonObject {
  if (!hasTopChoice(schema)) return schema;
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const all = asArray(allOf).map((part) => resolved(part, schema));
  const either = [...asArray(anyOf), ...asArray(oneOf)].map((part) => resolved(part, schema));
  const parts = [rest, ...all, ...either];
  const properties = Object.assign({}, ...parts.map((part) => asObject(part.properties)));
  const always = [rest, ...all].flatMap((part) => namesIn(part));
  const shared = namesIn(either[0] ?? {}).filter((name) => either.every((part) => namesIn(part).includes(name)));
  const required = [...new Set([...always, ...shared])];
  const note = getNote(either);
  const description = [rest.description, note].filter(Boolean).join(' ');
  return {
    ...rest,
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(description === '' ? {} : { description }),
  };
}

const namesIn = ({ required }: JsonObject): string[] => asArray(required).filter((name) => typeof name === 'string');

/** Follows a reference to the schema's own definitions. */
function resolved(part: unknown, { $defs, definitions }: JsonObject): JsonObject {
  const { $ref: reference, ...own } = asObject(part);
  const name = typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
  if (name === undefined) return own;
  return { ...asObject(asObject($defs)[name] ?? asObject(definitions)[name]), ...own };
}

function getNote(either: readonly JsonObject[]): string {
  const names = either.map((part) => namesIn(part).join(', ')).filter(Boolean);
  return names.length < 2 ? '' : `(Give one of these sets of fields: ${names.map((set) => `{${set}}`).join(', ')}.)`;
}

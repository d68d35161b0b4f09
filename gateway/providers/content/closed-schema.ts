import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';

interface ClosedSchema {
  readonly schema: JsonObject;
  /** Keywords that were changed; empty if the schema is the same as before. */
  readonly changed: readonly string[];
}

/** Keywords that Anthropic's structured outputs refuse. Their constraints are written into the description instead. */
const unsupported = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  ...[
    'minProperties',
    'maxProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'if',
    'then',
    'else',
    'not',
  ],
];
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
/**
 * No sensible schema is nested deeper than this. The limit also ends the walk through a schema that refers to itself.
 */
const maxDepth = 64;

/**
 * Rewrites a JSON schema for structured outputs that require every object to be closed: `additionalProperties: false`
 * everywhere, and no unsupported keyword. Returns null if that's impossible, because the schema is open on purpose or
 * refers to itself.
 */
export function closedSchema(schema: JsonObject): ClosedSchema | null {
  const changed = new Set<string>();
  if (refersToItself(schema, { root: schema, path: [], clear: new Set() })) return null;
  const closed = closedPart(schema, changed, 0);
  return closed && { schema: closed, changed: [...changed] };
}

function closedPart(part: JsonObject, changed: Set<string>, depth: number): JsonObject | null {
  if (depth > maxDepth || isOpenOnPurpose(part)) return null;
  const { kept, constraints } = withoutUnsupported(part, changed);
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(kept)) {
    const closed = closedValue(name, value, changed, depth);
    if (closed === null) return null;
    entries.push(closed);
  }
  const result: Record<string, unknown> = Object.fromEntries(entries);
  if (isObjectSchema(part) && part.additionalProperties !== false) {
    changed.add('additionalProperties');
    result.additionalProperties = false;
  }
  if (constraints.length > 0) {
    result.description = [part.description, `(${constraints.join(', ')})`].filter(Boolean).join(' ');
  }
  return result;
}

/** Closes the schemas inside a keyword's value. Returns null if one of them can't be closed. */
function closedValue(name: string, value: unknown, changed: Set<string>, depth: number): [string, unknown] | null {
  switch (name) {
    case 'properties':
    case '$defs':
    case 'definitions': {
      const parts = Object.entries(asObject(value)).map(([key, part]) => [
        key,
        closedPart(asObject(part), changed, depth + 1),
      ]);
      return parts.some(([, part]) => part === null) ? null : [name, Object.fromEntries(parts)];
    }
    case 'anyOf':
    case 'oneOf':
    case 'allOf': {
      const parts = asArray(value).map((part) => closedPart(asObject(part), changed, depth + 1));
      if (parts.includes(null)) return null;
      if (name !== 'oneOf') return [name, parts];
      changed.add('oneOf');
      return ['anyOf', parts];
    }
    case 'items': {
      const part = closedPart(asObject(value), changed, depth + 1);
      return part && [name, part];
    }
    default:
      return [name, value];
  }
}

function withoutUnsupported(part: JsonObject, changed: Set<string>): { kept: JsonObject; constraints: string[] } {
  const refused = ([name, value]: [string, unknown]) =>
    unsupported.includes(name) ||
    (name === 'minItems' && value !== 0 && value !== 1) ||
    (name === 'format' && !formats.has(String(value)));
  // Only keywords come here. A property may have the name of one, but names of properties stand one level below.
  const entries = Object.entries(part);
  const gone = entries.filter(refused);
  for (const [name] of gone) changed.add(name);
  return {
    kept: gone.length === 0 ? part : Object.fromEntries(entries.filter((entry) => !refused(entry))),
    constraints: gone.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  };
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

/** True for a map with arbitrary keys. Closing its schema would change its meaning. */
const isOpenOnPurpose = ({ additionalProperties, patternProperties }: JsonObject): boolean =>
  patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);

interface Walk {
  readonly root: JsonObject;
  /** References that lead from the root to this part. */
  readonly path: readonly string[];
  /** References without a cycle. Each is walked only once, however often it's used. */
  readonly clear: Set<string>;
}

function refersToItself(part: unknown, walk: Walk): boolean {
  if (Array.isArray(part)) return part.some((item) => refersToItself(item, walk));
  if (typeof part !== 'object' || part === null) return false;
  const { $ref: reference } = part as JsonObject;
  if (typeof reference === 'string') return followed(reference, walk);
  // Definitions are only walked through the references to them.
  return Object.entries(part).some(
    ([name, value]) => name !== '$defs' && name !== 'definitions' && refersToItself(value, walk),
  );
}

function followed(reference: string, { root, path, clear }: Walk): boolean {
  if (clear.has(reference)) return false;
  if (path.includes(reference) || reference === '#' || path.length > maxDepth) return true;
  if (refersToItself(referred(root, reference), { root, path: [...path, reference], clear })) return true;
  clear.add(reference);
  return false;
}

const referred = (root: JsonObject, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => asObject(part)[name.replaceAll('~1', '/').replaceAll('~0', '~')], root);

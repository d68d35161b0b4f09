import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';

interface ClosedSchema {
  readonly schema: JsonObject;
  /** What was changed, by the keyword's name; empty where the schema is as it was. */
  readonly changed: readonly string[];
}

/** Keywords that Anthropic's structured outputs refuse; what they ask for is said in the description instead. */
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
/** Deeper than any schema that is meant; one that refers to itself has no end. */
const deepest = 64;

/**
 * A JSON schema in the dialect of structured outputs that want every object closed: `additionalProperties: false` everywhere, and
 * no keyword that is refused. Null where it cannot be said so: it is open on purpose, or refers to itself.
 */
export function closedSchema(schema: JsonObject): ClosedSchema | null {
  const changed = new Set<string>();
  if (refersToItself(schema, { root: schema, way: [], clear: new Set() })) return null;
  const closed = closedPart(schema, changed, 0);
  return closed && { schema: closed, changed: [...changed] };
}

function closedPart(part: JsonObject, changed: Set<string>, depth: number): JsonObject | null {
  if (depth > deepest || isOpenOnPurpose(part)) return null;
  const { kept, said } = withoutUnsupported(part, changed);
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
  if (said.length > 0) result.description = [part.description, `(${said.join(', ')})`].filter(Boolean).join(' ');
  return result;
}

/** Whatever holds schemas, closed as well; null where one of them cannot be. */
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

function withoutUnsupported(part: JsonObject, changed: Set<string>): { kept: JsonObject; said: string[] } {
  const refused = ([name, value]: [string, unknown]) =>
    unsupported.includes(name) ||
    (name === 'minItems' && value !== 0 && value !== 1) ||
    (name === 'format' && !formats.has(String(value)));
  // A property may have the name of a keyword: names of properties stand one level below and never come here.
  const entries = Object.entries(part);
  const gone = entries.filter(refused);
  for (const [name] of gone) changed.add(name);
  return {
    kept: gone.length === 0 ? part : Object.fromEntries(entries.filter((entry) => !refused(entry))),
    said: gone.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  };
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

/** A map of names that nobody knows beforehand: closing it would change what it means. */
const isOpenOnPurpose = ({ additionalProperties, patternProperties }: JsonObject): boolean =>
  patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false);

interface Walk {
  readonly root: JsonObject;
  /** References that are being followed. */
  readonly way: readonly string[];
  /** References that were followed to their end: each is walked once, however often it is used. */
  readonly clear: Set<string>;
}

function refersToItself(part: unknown, walk: Walk): boolean {
  if (Array.isArray(part)) return part.some((item) => refersToItself(item, walk));
  if (typeof part !== 'object' || part === null) return false;
  const { $ref: reference } = part as JsonObject;
  if (typeof reference === 'string') return followed(reference, walk);
  // Definitions are walked from where they are referred to.
  return Object.entries(part).some(
    ([name, value]) => name !== '$defs' && name !== 'definitions' && refersToItself(value, walk),
  );
}

function followed(reference: string, { root, way, clear }: Walk): boolean {
  if (clear.has(reference)) return false;
  if (way.includes(reference) || reference === '#' || way.length > deepest) return true;
  if (refersToItself(referred(root, reference), { root, way: [...way, reference], clear })) return true;
  clear.add(reference);
  return false;
}

const referred = (root: JsonObject, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => asObject(part)[name.replaceAll('~1', '/').replaceAll('~0', '~')], root);

import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';

/**
 * What a vendor refuses, by its documentation and by what its API was seen to answer. These tables know nothing of the gateway's
 * facts: they are written in the vendor's own terms from the vendor's own pages, so that the two check each other.
 */
export interface VendorRule {
  /** Where it stands, and when it was read there. */
  readonly source: string;
  readonly read: string;
  /** Why this request is refused; null where this rule has nothing against it. */
  refuses(body: JsonObject, model: string, headers?: Headers): Refusal | null;
}

/** A refusal in the vendor's words. */
export interface Refusal {
  readonly message: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

export const firstRefusal = (
  rules: readonly VendorRule[],
  body: JsonObject,
  model: string,
  headers: Headers,
): Refusal | null => {
  for (const rule of rules) {
    const refusal = rule.refuses(body, model, headers);
    if (refusal) return refusal;
  }
  return null;
};

/** Names of a body that are not among those a vendor knows. */
export const unknownNames = (body: JsonObject, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !known.includes(name));

export const listOf = (value: unknown): JsonObject[] => asArray(value).map(asObject);

export const hasTools = (body: JsonObject): boolean => asArray(body.tools).length > 0;

export const isBlank = (value: unknown): boolean => !/\S/.test(asText(value) ?? '');

/** Every schema inside a JSON schema, itself first, with its place. */
export function schemasIn(schema: unknown, at = '()'): { readonly part: JsonObject; readonly at: string }[] {
  const part = asObject(schema);
  const maps = ['properties', '$defs', 'definitions'].flatMap((name) => Object.entries(asObject(part[name])));
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    asArray(part[name]).map((inner) => [name, inner] as const),
  );
  const items = part.items === undefined ? [] : [['items', part.items] as const];
  return [{ part, at }, ...[...maps, ...lists, ...items].flatMap(([name, inner]) => schemasIn(inner, `(${name})`))];
}

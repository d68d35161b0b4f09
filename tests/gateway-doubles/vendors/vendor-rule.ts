import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';

/**
 * A rule by which a vendor refuses requests, from its documentation and from observed answers of its API. These
 * tables know nothing of the gateway's model facts: they are written in the vendor's terms from the vendor's pages,
 * so the two check each other.
 */
export interface VendorRule {
  /** The page that states the rule, and the day it was read. */
  readonly source: string;
  readonly read: string;
  /** Returns why the rule refuses this request, or null. */
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

/** Returns the fields of a body that the vendor doesn't know. */
export const unknownNames = (body: JsonObject, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !known.includes(name));

export const toObjects = (value: unknown): JsonObject[] => asArray(value).map(asObject);

export const hasTools = (body: JsonObject): boolean => asArray(body.tools).length > 0;

export const isBlank = (value: unknown): boolean => !/\S/.test(asText(value) ?? '');

/** Returns every schema inside a JSON schema, the outermost first, with its place. */
export function schemasIn(schema: unknown, place = '()'): { readonly part: JsonObject; readonly place: string }[] {
  const part = asObject(schema);
  const maps = ['properties', '$defs', 'definitions'].flatMap((name) => Object.entries(asObject(part[name])));
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    asArray(part[name]).map((inner) => [name, inner] as const),
  );
  const items = part.items === undefined ? [] : [['items', part.items] as const];
  return [{ part, place }, ...[...maps, ...lists, ...items].flatMap(([name, inner]) => schemasIn(inner, `(${name})`))];
}

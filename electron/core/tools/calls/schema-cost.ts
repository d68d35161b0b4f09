type Json = Readonly<Record<string, unknown>>;

/**
 * Estimates the number of checks for a value: all parts of the schema, with references followed, for each part of the
 * value. A few definitions that refer to each other can stand for millions of parts, so counting stops at `most`.
 */
export function checksAtMost(schema: Json, value: unknown, most: number): number {
  const values = count(value, most, (inner) => inner);
  return values * count(schema, Math.ceil(most / values), (inner) => followed(inner, schema));
}

/** Counts the values in a value, including itself, up to `most`. */
function count(value: unknown, most: number, resolve: (value: unknown) => unknown): number {
  const open: unknown[] = [value];
  let seen = 0;
  while (open.length > 0 && seen < most) {
    seen += 1;
    const inner = resolve(open.pop());
    if (typeof inner !== 'object' || inner === null) continue;
    for (const [name, child] of Object.entries(inner)) if (name !== '$defs' && name !== 'definitions') open.push(child);
  }
  return seen;
}

/** Returns the target of a `$ref` within the same schema. */
function followed(value: unknown, root: Json): unknown {
  const reference = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined;
  if (typeof reference !== 'string') return value;
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name.replaceAll('~1', '/')], root);
}

import { z } from 'zod';
import { checksAtMost } from './schema-cost.ts';

type Json = Readonly<Record<string, unknown>>;

/** Each check takes up to a microsecond; this bounds how long the core is blocked. */
const maxChecks = 50_000;

/**
 * What is wrong with a call’s arguments, for the model; null if they are valid. A schema that cannot be parsed or takes
 * too long is left to the tool, which checks its own arguments.
 */
export function problemWith(input: string, schema: Json): string | null {
  const value = input.trim() === '' ? {} : parsed(input);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'Not run: the arguments are not a JSON object.';
  }
  if (checksAtMost(schema, value, maxChecks) >= maxChecks) return null;
  const issue = readable(schema)?.safeParse(value).error?.issues[0];
  if (!issue) return null;
  const location = issue.path.length > 0 ? ` (at ${issue.path.join('.')})` : '';
  return `Not run: the arguments do not fit the tool's schema. ${issue.message}${location}.`.slice(0, 500);
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return null;
  }
}

function readable(schema: Json): z.ZodType | null {
  try {
    return z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return null;
  }
}

/** Without patterns: a tool server’s regular expression could block the app, so the server checks them. */
function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, inner]) => name !== 'patternProperties' && !((name === 'pattern' || name === 'format') && isText(inner)),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutPatterns(inner)]));
}

const isText = (value: unknown) => typeof value === 'string';

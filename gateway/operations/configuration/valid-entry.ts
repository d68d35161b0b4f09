import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';

const shownIssues = 5;

/** Returns the faults that a parser found, each with its place: `providers.far.baseUrl: must be an http or https URL`. */
export function issueLines(error: z.ZodError, before: readonly PropertyKey[] = []): string[] {
  const lines = error.issues.map(({ path, message }) => {
    const place = [...before, ...path].join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return lines.length > shownIssues
    ? [...lines.slice(0, shownIssues), `and ${lines.length - shownIssues} more`]
    : lines;
}

/** Returns the parsed value. Throws `invalid_input` with a message that begins with `what` and lists the faults. */
export function requireValid<T>(result: z.ZodSafeParseResult<T>, what: string): T {
  if (result.success) return result.data;
  throw new AppError('invalid_input', `${what}: ${issueLines(result.error).join('; ')}.`);
}

import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { dayMs } from '../ledger/period.ts';
import type { AppEnv } from './context.ts';

const digits = z.string().regex(/^\d{1,15}$/, 'must be a whole number');
export const wholeNumber = digits.transform(Number);
export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
export const order = z.enum(['asc', 'desc'], 'must be asc or desc');

/** The fields of every cursor list (wire contract §1.0). */
export const listFields = {
  limit: wholeNumber.pipe(z.int().min(1, 'must be 1 to 100').max(100, 'must be 1 to 100')).default(20),
  after: z.string().max(64).optional(),
  before: z.string().max(64).optional(),
  order: order.default('desc'),
};

const latest = Date.UTC(9999, 11, 31);
const seconds = wholeNumber.transform((value) => value * 1000).pipe(z.number().max(latest, 'is too far away'));
const dayName = z.iso.date('must be Unix seconds or YYYY-MM-DD');
const day = dayName.transform((text) => Date.parse(`${text}T00:00:00Z`));

/** An end of a period when days depend on a time zone: an instant in milliseconds, or the day as it was sent. */
export const momentOrDay = z.union([seconds, dayName]);

/** The start of a period in milliseconds, from Unix seconds or a UTC day. */
export const startTime = z.union([seconds, day]);
/** The exclusive end of a period: an instant, or a UTC day that still belongs to the period. */
export const endTime = z.union([seconds, day.transform((start) => start + dayMs)]);

/**
 * Reads the query by a schema of strings. A bad or repeated value is 400 `invalid_query_parameter`; an unknown name is ignored and reported
 * in the warnings header.
 */
export function readQuery<Shape extends z.ZodRawShape>(
  context: Context<AppEnv>,
  schema: z.ZodObject<Shape>,
  repeatable: readonly string[] = [],
): z.output<z.ZodObject<Shape>> {
  const given = context.req.queries();
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.shape, name));
  if (unknown.length > 0) context.header('x-portico-warnings', unknown.slice(0, 20).map(unknownWarning).join(', '));
  const values: Record<string, unknown> = {};
  for (const [name, texts] of Object.entries(given)) {
    if (!repeatable.includes(name) && texts.length > 1) throw badQuery(name, 'is given more than once');
    values[name] = repeatable.includes(name) ? texts : texts[0];
  }
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badQuery(String(issue?.path[0] ?? ''), firstMessage(issue));
}

export const badQuery = (param: string, why: string) =>
  new AppError('invalid_query_parameter', `The query parameter "${param}" ${why}.`, { param });

const unknownWarning = (name: string) => `unknown_parameter=${encodeURIComponent(name).slice(0, 64)}`;

/** A union reports its branches inside, and the message of the last one names all forms. */
function firstMessage(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code !== 'invalid_union') return issue?.message ?? 'is not valid';
  return issue.errors.at(-1)?.[0]?.message ?? 'is not valid';
}

import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { requestError } from '../http/request-error.ts';
import { shortened } from '../http/shorten-name.ts';
import { capped, mostWarnings } from './request-warnings.ts';

/** Reads a body by its schema. Throws the contract's 400 codes for the first fault. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw requestError(result.error.issues, body);
}

/** The fields of a body that its form does not name; `null` means nothing. */
export const unknownFields = (body: Record<string, unknown>, shape: Record<string, unknown>): string[] =>
  Object.keys(body).filter((name) => !Object.hasOwn(shape, name) && body[name] != null);

/** Says what was ignored, the first of it by name. Throws `unknown_parameter` where the caller asked for that (wire contract §1.0). */
export function unknownWarnings(
  body: Record<string, unknown>,
  shape: Record<string, unknown>,
  strict: boolean,
): Warning[] {
  const unknown = unknownFields(body, shape);
  if (strict && unknown[0] !== undefined) throw unknownParameter(unknown[0]);
  return capped(unknown.slice(0, mostWarnings).map(ignored), unknown.length);
}

export function unknownParameter(name: string): AppError {
  const param = shortened(name);
  return new AppError('unknown_parameter', `There is no parameter "${param}".`, { param });
}

export function ignored(name: string): Warning {
  const param = shortened(name);
  return { code: 'unknown_parameter', param, message: `There is no parameter "${param}"; it was ignored.` };
}

import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { type NanoUsd, parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { allScopes, clientScopes } from '../access/auth/scopes.ts';

/** Values that people type, parsed. What is wrong is reported with an example of what is right. */

export const scopesMeaning =
  'what a key or token may reach, separated by commas: chat, models, account (default: chat,models; "account" reads the ' +
  'books, and makes and revokes keys)';

export function parseScopes(text: string | undefined): readonly Scope[] {
  if (text === undefined) return clientScopes;
  return text.split(',').map((word) => {
    const found = allScopes.find((known) => known === word.trim());
    if (!found) throw new AppError('invalid_input', `There is no scope "${word}". Scopes: ${allScopes.join(', ')}.`);
    return found;
  });
}

export function parseAmount(text: string): NanoUsd {
  try {
    return parseUsd(text);
  } catch (cause) {
    throw new AppError('invalid_input', `"${text}" is not an amount in USD, such as 20 or 0.5.`, { cause });
  }
}

export function parseDay(text: string): string {
  const day = z.iso.date().safeParse(text);
  if (day.success) return day.data;
  throw new AppError('invalid_input', `"${text}" is not a date, such as 2027-01-31.`);
}

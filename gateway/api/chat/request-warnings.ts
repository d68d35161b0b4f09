import type { Warning } from '#shared/wire/chat-response.ts';

/** More of them nobody reads; how many there were is said. */
export const maxWarnings = 20;

/** Adds how many are not told. */
export function capped(warnings: readonly Warning[], found: number): Warning[] {
  const left = found - warnings.length;
  if (left <= 0) return [...warnings];
  const message = `There are ${left} more fields of this kind; they were ignored.`;
  return [...warnings, { code: 'more_warnings', param: null, message }];
}

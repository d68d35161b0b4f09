import type { Warning } from '#shared/wire/chat-response.ts';
import type { RoutePart } from './stream-writer.ts';

export const jsonType = 'application/json; charset=utf-8';

const maxHeader = 2_000;

/** Header values are visible ASCII; a local server's model may have any name. */
const headerText = (text: string) =>
  text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed())).slice(0, maxHeader);

/** Who answered and why (wire contract §5.6). Nothing where the headers had to go out before that was known. */
export function routeHeaders(route: RoutePart | null): Record<string, string> {
  if (!route) return {};
  return {
    'x-portico-provider': headerText(route.provider),
    'x-portico-model': headerText(route.model),
    'x-portico-attempts': String(route.attempts),
    'x-portico-route': headerText(route.summary),
  };
}

/** `x-portico-warnings: unknown_parameter=max_token` (wire contract §1.0). */
export function warningHeaders(warnings: readonly Warning[]): Record<string, string> {
  if (!warnings.length) return {};
  const items = warnings.map(({ code, param }) => (param === null ? code : `${code}=${param}`));
  return { 'x-portico-warnings': headerText(items.join(', ')) };
}

import { AppError } from '#shared/errors.ts';

/** Fields with text in the state that providers hand out. Such a text may mention URLs. */
const textFields = new Set(['text', 'summary', 'thinking', 'data', 'signature', 'thought_signature']);
const address = /^\s*([a-z][a-z0-9+.-]*:\/\/|file:)/i;

/**
 * Checks the opaque state of a provider (wire contract §1.6), which comes back through the caller. It's refused if it
 * contains a URL, because nobody knows what the server would do with it.
 */
export function withoutAddress<T>(extra: T): T {
  if (!holdsAddress(extra, '')) return extra;
  throw new AppError('invalid_value', '"extra_content" must come back as it was given; it holds an address.', {
    param: 'messages',
  });
}

function holdsAddress(value: unknown, name: string): boolean {
  if (typeof value === 'string') return !textFields.has(name) && address.test(value);
  if (Array.isArray(value)) return value.some((item) => holdsAddress(item, name));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => holdsAddress(inner, key));
}

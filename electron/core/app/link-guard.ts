import { AppError } from '#shared/errors.ts';

/** An address that was parsed and found fit to be handed to the operating system. */
export type SafeUrl = string & { readonly safeUrl: unique symbol };

const protocols = new Set(['https:', 'http:', 'mailto:']);
/** Text that shows one thing and means another: control characters, bidirectional overrides, invisible spaces. */
const deceptive = /[\p{Cc}\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/u;

/**
 * The one gate to the world outside: `https:`, `http:` and `mailto:` without credentials. The parsed form is what is
 * opened, never the text that was given. Throws `link_refused`.
 */
export function safeUrl(text: string): SafeUrl {
  const url = !deceptive.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url || !protocols.has(url.protocol) || url.username || url.password || url.href.length > 8192) {
    throw new AppError('link_refused', 'Only plain https, http and mailto links are opened outside the app.');
  }
  return url.href as SafeUrl;
}

/** The same for an address that is only offered: null where it would be refused. */
export function safeUrlOrNull(text: string): SafeUrl | null {
  try {
    return safeUrl(text);
  } catch {
    return null;
  }
}

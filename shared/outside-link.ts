import { safeMailLink } from './mail-link.ts';

/** What is needed of a platform's `URL`. */
interface Addresses {
  canParse(text: string): boolean;
  new (text: string): { readonly href: string; readonly username: string; readonly password: string };
}

const mostCharacters = 8192;
/** Text that shows one thing and means another: control characters, bidirectional overrides, invisible spaces. */
const deceptive = /[\p{Cc}\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/u;

/**
 * The one rule for addresses that lead out of the app, for every place that offers or opens one: `https:`, `http:` and
 * `mailto:`, without credentials. Answers with the normal form, whose host is shown as it is asked for (`xn--…`), and never
 * with the text that was given; null for all else.
 */
export function outsideLink(text: string, URL: Addresses): string | null {
  if (text.length > mostCharacters || deceptive.test(text)) return null;
  if (/^mailto:/i.test(text)) return safeMailLink(text);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return username || password || href.length > mostCharacters ? null : href;
}

import { safeMailLink } from './mail-link.ts';

/** The part of `URL` that this file uses, so that every platform can pass its own. */
interface Addresses {
  canParse(text: string): boolean;
  new (text: string): { readonly href: string; readonly username: string; readonly password: string };
}

const maxCharacters = 8192;
/** Deceptive characters: controls, bidirectional overrides, invisible spaces. */
const deceptive = /[\p{Cc}\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/u;

/**
 * The only check for URLs that lead out of the app, used wherever one is offered or opened: `https:`, `http:` and
 * `mailto:`, without credentials. Returns the normalised URL, which shows the host's real form (`xn--…`), never the
 * given text. Returns null for all others.
 */
export function outsideLink(text: string, URL: Addresses): string | null {
  if (text.length > maxCharacters || deceptive.test(text)) return null;
  if (/^mailto:/i.test(text)) return safeMailLink(text);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return username || password || href.length > maxCharacters ? null : href;
}

import { refusal } from '#shared/language/refusals.ts';
import { outsideLink } from '#shared/outside-link.ts';

/** A URL that was checked and may be passed to the operating system. */
export type SafeUrl = string & { readonly safeUrl: unique symbol };

/**
 * Checks a URL that is to be opened outside the app, and returns the normalised form to open. Throws `link_refused`.
 */
export function safeUrl(text: string): SafeUrl {
  const url = outsideLink(text, URL);
  if (url !== null) return url as SafeUrl;
  throw refusal('link_refused', 'linkRefused');
}

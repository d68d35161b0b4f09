import { refusal } from '#shared/language/refusals.ts';
import { outsideLink } from '#shared/outside-link.ts';

/** A URL that was checked before it is passed to the operating system. */
export type SafeUrl = string & { readonly safeUrl: unique symbol };

/** Checks a URL to open outside; the checked form is what is opened. Throws `link_refused`. */
export function safeUrl(text: string): SafeUrl {
  const url = outsideLink(text, URL);
  if (url !== null) return url as SafeUrl;
  throw refusal('link_refused', 'linkRefused');
}

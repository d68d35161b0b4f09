import { refusal } from '#shared/language/refusals.ts';
import { outsideLink } from '#shared/outside-link.ts';

/** An address that was parsed and found fit to be handed to the operating system. */
export type SafeUrl = string & { readonly safeUrl: unique symbol };

/** The one gate to the world outside: what is opened is the form that was checked. Throws `link_refused`. */
export function safeUrl(text: string): SafeUrl {
  const url = outsideLink(text, URL);
  if (url !== null) return url as SafeUrl;
  throw refusal('link_refused', 'linkRefused');
}

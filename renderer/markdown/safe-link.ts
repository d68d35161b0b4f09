import { outsideLink } from '#shared/outside-link.ts';

/**
 * Returns the URL of a link that the core would open, else null. So the browser’s own menu can't open others either.
 */
export const safeLink = (href: string): string | null => outsideLink(href, URL);

import { outsideLink } from '#shared/outside-link.ts';

/** The target of a link that may be offered, or null: what the core would open, so that a browser's own menu opens no more. */
export const safeLink = (href: string): string | null => outsideLink(href, URL);

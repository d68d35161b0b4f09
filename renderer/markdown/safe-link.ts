import { outsideLink } from '#shared/outside-link.ts';

/** The URL of a link that the core would open, else null: so the browser’s own menu opens no others either. */
export const safeLink = (href: string): string | null => outsideLink(href, URL);

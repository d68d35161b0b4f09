import { randomBytes } from 'node:crypto';

export interface PrintPages {
  /** Keeps a page until it is taken; answers with its path, which nobody can guess. */
  serve(html: string): string;
  take(pathname: string): string | null;
}

export const printFolder = '/print/';
/** One that nobody took in the meantime was given up. */
const mostAtOnce = 3;

/** Pages for the browser to print. Each is taken once, by the frame that prints it. */
export function printPages(): PrintPages {
  const pages = new Map<string, string>();
  return {
    serve(html) {
      const path = printFolder + randomBytes(32).toString('base64url');
      pages.set(path, html);
      const [oldest] = pages.keys();
      if (pages.size > mostAtOnce && oldest !== undefined) pages.delete(oldest);
      return path;
    },
    take(pathname) {
      const page = pages.get(pathname) ?? null;
      pages.delete(pathname);
      return page;
    },
  };
}

/** The page runs no script and fetches nothing; only our own page may frame it, and tell it to print. */
export const printHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin allow-modals',
  ].join('; '),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

import { randomBytes } from 'node:crypto';

export interface PrintPages {
  /** Keeps a page until it is fetched. Returns its unguessable path. */
  serve(html: string): string;
  take(pathname: string): string | null;
}

export const printFolder = '/print/';
/** Beyond this number, the oldest pages that were not fetched are dropped. */
const maxAtOnce = 3;
/** The frame fetches its page at once. A path found later in a log or a history is useless. */
const keptForMs = 60_000;

/** Pages that the browser prints. Each is served once, within a minute. */
export function printPages(elapsed: () => number = () => performance.now()): PrintPages {
  const pages = new Map<string, { readonly html: string; readonly until: number }>();

  function forgetOld(): void {
    for (const [path, { until }] of pages) if (until <= elapsed() || pages.size > maxAtOnce) pages.delete(path);
  }

  return {
    serve(html) {
      const path = printFolder + randomBytes(32).toString('base64url');
      pages.set(path, { html, until: elapsed() + keptForMs });
      forgetOld();
      return path;
    },
    take(pathname) {
      forgetOld();
      const page = pages.get(pathname);
      pages.delete(pathname);
      return page?.html ?? null;
    },
  };
}

import type { Access } from './access.ts';

export interface LinksOptions {
  readonly url: string;
  readonly access: Access;
  readonly elapsed: () => number;
  /** Prints a link in the terminal. */
  readonly print: (link: string) => void;
}

/** Requests must neither flood the terminal nor scroll away the link being copied. */
const betweenPrintsMs = 5000;

/** One-time links for browsers. Each is made on demand, because it expires after a minute. */
export function openLinks({ url, access, elapsed, print }: LinksOptions) {
  let printed = '';
  let printedAt = Number.NEGATIVE_INFINITY;
  const getLink = (secret: string) => `${url}#b=${secret}`;

  function show(): void {
    printed = access.newSecret();
    printedAt = elapsed();
    print(getLink(printed));
  }

  return {
    /** Creates a link without printing it. */
    make: () => getLink(access.newSecret()),
    /** Prints a new link, on request of the user at the terminal. */
    show,
    /** The same on request over the network; skipped while a recently printed one is valid. */
    showOnRequest(): void {
      if (elapsed() - printedAt < betweenPrintsMs && access.isUnused(printed)) return;
      show();
    },
  };
}

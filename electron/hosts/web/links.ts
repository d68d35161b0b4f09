import type { Access } from './access.ts';

export interface LinksOptions {
  readonly url: string;
  readonly access: Access;
  readonly elapsed: () => number;
  /** Writes a link where only the person at the terminal reads it. */
  readonly print: (link: string) => void;
}

/** A page that asks again and again must neither fill the terminal nor push out the link that its reader is copying. */
const betweenPrintsMs = 5000;

/** The one-time links that lead a browser in. Each is made when it is wanted, because it dies after a minute. */
export function openLinks({ url, access, elapsed, print }: LinksOptions) {
  let printed = '';
  let printedAt = Number.NEGATIVE_INFINITY;
  const linkOf = (secret: string) => `${url}#b=${secret}`;

  function show(): void {
    printed = access.newSecret();
    printedAt = elapsed();
    print(linkOf(printed));
  }

  return {
    /** A new link that is printed nowhere. */
    make: () => linkOf(access.newSecret()),
    /** Prints a new link, for the person who asks at the terminal. */
    show,
    /** The same for whoever asks over the network: one that has just been printed and is still good will do. */
    showOnRequest(): void {
      if (elapsed() - printedAt < betweenPrintsMs && access.isUnused(printed)) return;
      show();
    },
  };
}

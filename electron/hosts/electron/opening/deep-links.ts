import { app } from 'electron';
import { linkScheme } from '#shared/deep-link.ts';

export interface DeepLinksOptions {
  readonly args: readonly string[];
  /** Shows the window with the link, and the user decides what to do with it. */
  readonly show: (link: string) => void;
}

/** Returns the link among the program's arguments. The page parses it. */
export const linkAmong = (args: readonly string[]): string | undefined =>
  args.findLast((arg) => arg.toLowerCase().startsWith(`${linkScheme}:`));

/** Returns the location hash at which the page asks about a link. */
export const hashOfLink = (link: string): string => `#open/${encodeURIComponent(link)}`;

/**
 * Follows links from other programs: from the arguments of this start and of later ones, and on macOS from an event.
 */
export function followDeepLinks({ args, show }: DeepLinksOptions): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme);
  const first = linkAmong(args);
  const ready = app.whenReady();
  if (first !== undefined) void ready.then(() => show(first));
  app.on('second-instance', (_event, later) => {
    const link = linkAmong(later);
    if (link !== undefined) show(link);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    void ready.then(() => show(link));
  });
}

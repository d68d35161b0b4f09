import { app } from 'electron';
import { linkScheme } from '#shared/deep-link.ts';

export interface DeepLinksOptions {
  readonly args: readonly string[];
  /** Shows the window, with the link for the person to decide about. */
  readonly show: (link: string) => void;
}

/** The link among the arguments of a start of the program; what it means is read by the page. */
export const linkAmong = (args: readonly string[]): string | undefined =>
  args.findLast((arg) => arg.toLowerCase().startsWith(`${linkScheme}:`));

/** The hash of the location that asks about a link. */
export const hashOfLink = (link: string): string => `#open/${encodeURIComponent(link)}`;

/** Links of other programs: by the arguments of this start and of later ones, and on macOS by an event. */
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

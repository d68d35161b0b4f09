import type { Settings } from '#shared/contract/app/settings.ts';
import type { Told } from '#shared/errors.ts';
import type { Question } from './ask-person.ts';
import type { SafeUrl } from './link-guard.ts';

/** How chats leave the program: through the system's dialog as files, or through a browser, which saves and prints itself. */
export type Output =
  | {
      readonly kind: 'dialog';
      /** Where to save a file of this name; null where the reader gave up. */
      askWhere(name: string): Promise<string | null>;
      /** A page of ours on paper. It runs no script and reaches nothing. Rejects with `export_failed`. */
      printPdf(html: string, signal: AbortSignal): Promise<Uint8Array>;
    }
  | {
      readonly kind: 'browser';
      /** Serves a page once, to print it; answers with the path of its address. */
      servePrint(html: string): string;
    };

/** What the core asks of the program it runs in: only what Node could not do otherwise. */
export interface Host {
  readonly name: 'electron' | 'web';
  readonly version: string;
  /** The title bar is drawn by the page and needs a draggable region. */
  readonly ownTitleBar: boolean;
  /** Answers go on while no window is open. */
  readonly background: boolean;
  /** What is weaker here than in the installed app, one sentence each. */
  readonly notices: readonly Told[];
  readonly output: Output;
  /** Opens an address outside the app. Only the link guard calls it. */
  openExternal(url: SafeUrl): Promise<void>;
  /**
   * Asks a person where no page of ours can answer for them. True only for a yes; false for everything else, and where the
   * signal ends it. Only the core's `personAsked` calls it.
   */
  confirm(question: Question, signal: AbortSignal): Promise<boolean>;
  /** Makes what is not drawn by the page follow: the window's frame, menus, the system's own dialogs. */
  showSettings(settings: Pick<Settings, 'theme' | 'language'>): void;
}

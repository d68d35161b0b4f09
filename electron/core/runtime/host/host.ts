import type { MenuPlace, ZoomStep } from '#shared/contract/app/app.ts';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import type { ProblemText } from '#shared/errors.ts';
import type { Question } from './ask-person.ts';
import type { SafeUrl } from './link-guard.ts';

/** How exports leave the app: by the system’s dialog as files, or by a browser, which saves and prints itself. */
export type Output =
  | {
      readonly kind: 'dialog';
      /** The path to save to; null if cancelled. */
      askWhere(name: string): Promise<string | null>;
      /** Prints our HTML to a PDF, without scripts or network. Rejects with `export_failed`. */
      printPdf(html: string, signal: AbortSignal): Promise<Uint8Array>;
    }
  | {
      readonly kind: 'browser';
      /** Serves a page once for printing; returns its path. */
      servePrint(html: string): string;
    };

export type HostSettings = Pick<
  Settings,
  'theme' | 'language' | 'shortcuts' | 'spellCheck' | 'keepRunning' | 'checkUpdates'
>;

/** Newer versions of the app. */
export interface HostUpdates {
  /** Called at once and with every change, as long as the host lives. */
  follow(changed: (state: UpdateState) => void): void;
  check(): Promise<void>;
  install(): Promise<void>;
  postpone(): Promise<void>;
}

export interface HostQuickWindow {
  /** Takes these keys of the whole system, or none. False: another program has them, and the old ones stay. */
  setKeys(keys: string | null): Promise<boolean>;
  hide(): Promise<void>;
  continueInMain(conversationId: string | null): Promise<void>;
}

/** A proxy as the person has set it, with its password. */
export interface HostProxy {
  readonly proxy: 'system' | 'none' | 'fixed';
  readonly address: string;
  readonly username: string;
  readonly password: string | null;
  readonly bypass: string;
}

/** A chat whose answers have ended. */
export interface EndedNotice {
  readonly conversationId: string;
  readonly messageId: string;
  readonly failed: boolean;
  /** Null: it must not be shown. */
  readonly title: string | null;
}

/** What the core needs from its host: only what Node cannot do. */
export interface Host {
  readonly name: 'electron' | 'web';
  readonly version: string;
  /** The page draws the title bar, with a draggable region. */
  readonly ownTitleBar: boolean;
  /** It can stay beside the clock without a window. */
  readonly tray: boolean;
  /** Limitations compared to the installed app. */
  readonly notices: readonly ProblemText[];
  readonly output: Output;
  /** The path of a file that the system opened with the app, told once; null for any other id. */
  openedFile(fileId: string): Promise<string | null>;
  /** Opens a URL outside the app. Called by the link guard only. */
  openExternal(url: SafeUrl): Promise<void>;
  /**
   * Asks the user outside of any page of ours. True only for Yes; false for everything else, also when aborted. Called
   * by `personAsked` only.
   */
  confirm(question: Question, signal: AbortSignal): Promise<boolean>;
  /** It checks the spelling of what is typed; else the browser does, by its own settings. */
  readonly spellCheck: boolean;
  /** Shows the application’s menus at a place of the page; null where they are elsewhere. */
  readonly showMenu: ((at: MenuPlace) => Promise<void>) | null;
  /** Zooms the window; null where the browser does that. */
  readonly zoom: ((to: ZoomStep) => Promise<void>) | null;
  /** Applies settings to what the page does not draw: window frame, menus, system dialogs, the spelling checker. */
  showSettings(settings: HostSettings): void;
  /** Tells it by the system, unless the person is looking at the app; null where the page does that. */
  readonly notify: ((notice: EndedNotice) => void) | null;
  /** The proxy by which the system reaches an origin, by its settings and scripts; null where only the environment names one. */
  readonly proxyFor: ((origin: string) => Promise<string | null>) | null;
  /** A small window that a shortcut of the system shows; null where there is none. */
  readonly quickWindow: HostQuickWindow | null;
  /** Opens a further window; null where the browser does. */
  readonly openWindow: (() => Promise<void>) | null;
  /** Replaces the app by newer versions; null where it cannot. */
  readonly updates: HostUpdates | null;
  /** The proxy for what the host itself calls: the feed of updates. */
  readonly showProxy: ((proxy: HostProxy) => void) | null;
  /** So many answers are being written now. */
  showRunning(answers: number): void;
}

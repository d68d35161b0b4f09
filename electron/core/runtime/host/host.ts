import type { MenuPlace, ZoomStep } from '#shared/contract/app/app.ts';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import type { ProblemText } from '#shared/errors.ts';
import type { Question } from './ask-person.ts';
import type { SafeUrl } from './link-guard.ts';

/**
 * How exports leave the app: as files through the system's dialog, or through a browser, which saves and prints them
 * itself.
 */
export type Output =
  | {
      readonly kind: 'dialog';
      /** Returns the path to save to, or null if cancelled. */
      askWhere(name: string): Promise<string | null>;
      /** Prints our HTML to a PDF, without scripts or network. Rejects with `export_failed`. */
      printPdf(html: string, signal: AbortSignal): Promise<Uint8Array>;
    }
  | {
      readonly kind: 'browser';
      /** Serves a page once for printing. Returns its path. */
      servePrint(html: string): string;
    };

export type HostSettings = Pick<
  Settings,
  'theme' | 'language' | 'shortcuts' | 'spellCheck' | 'keepRunning' | 'checkUpdates'
>;

/** Updates of the app. */
export interface HostUpdates {
  /** `changed` is called at once and with every change, for as long as the host runs. */
  follow(changed: (state: UpdateState) => void): void;
  check(): Promise<void>;
  install(): Promise<void>;
  postpone(): Promise<void>;
}

export interface HostQuickWindow {
  /**
   * Registers a system-wide shortcut, or none. Returns false if another program has the keys; the old shortcut then
   * stays.
   */
  setKeys(keys: string | null): Promise<boolean>;
  hide(): Promise<void>;
  continueInMain(conversationId: string | null): Promise<void>;
}

/** A proxy as the user has set it, with its password. */
export interface HostProxy {
  readonly proxy: 'system' | 'none' | 'fixed';
  readonly address: string;
  readonly username: string;
  readonly password: string | null;
  readonly bypass: string;
}

/** Announces that a chat's answers have ended. */
export interface EndedNotice {
  readonly conversationId: string;
  readonly messageId: string;
  readonly failed: boolean;
  /** Null if the title must not be shown. */
  readonly title: string | null;
}

/** What the core needs from its host: only what Node can't do. */
export interface Host {
  readonly name: 'electron' | 'web';
  readonly version: string;
  /** The page has to draw the title bar and its draggable region. */
  readonly ownTitleBar: boolean;
  /** The app can keep running in the system tray without a window. */
  readonly tray: boolean;
  /** What this host can't do compared with the installed app. */
  readonly notices: readonly ProblemText[];
  readonly output: Output;
  /** Returns the path of a file that the system opened with the app, once per id. Null for any other id. */
  openedFile(fileId: string): Promise<string | null>;
  /** Opens a URL outside the app. Only the link guard calls it. */
  openExternal(url: SafeUrl): Promise<void>;
  /**
   * Asks the user outside of our pages. Returns true only if the user agrees, and false for everything else, including
   * an abort. Only `createAskPerson` calls it.
   */
  confirm(question: Question, signal: AbortSignal): Promise<boolean>;
  /** The host checks spelling. Without this, the browser does by its own settings. */
  readonly spellCheck: boolean;
  /** Shows the application's menus at a position in the page. Null if they are somewhere else on this platform. */
  readonly showMenu: ((at: MenuPlace) => Promise<void>) | null;
  /** Zooms the window. Null if the browser does that. */
  readonly zoom: ((to: ZoomStep) => Promise<void>) | null;
  /** Applies settings to what the page doesn't draw: window frame, menus, system dialogs, the spelling checker. */
  showSettings(settings: HostSettings): void;
  /** Shows a system notification unless the app is in focus. Null if the page does that. */
  readonly notify: ((notice: EndedNotice) => void) | null;
  /**
   * Returns the proxy for an origin by the system's settings and scripts. Null if only environment variables name one.
   */
  readonly proxyFor: ((origin: string) => Promise<string | null>) | null;
  /** A small window that a system-wide shortcut shows. Null if there is none. */
  readonly quickWindow: HostQuickWindow | null;
  /** Opens another window. Null if the browser does that. */
  readonly openWindow: (() => Promise<void>) | null;
  /** Updates the app. Null if that isn't possible. */
  readonly updates: HostUpdates | null;
  /** Sets the proxy for the host's own requests, such as the update feed. */
  readonly showProxy: ((proxy: HostProxy) => void) | null;
  /** Reports how many answers are running. */
  showRunning(answers: number): void;
}

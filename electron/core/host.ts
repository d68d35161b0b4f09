import type { SafeUrl } from './app/link-guard.ts';

/** What the core asks of the program it runs in: only what Node could not do otherwise. */
export interface Host {
  readonly name: 'electron' | 'web';
  readonly version: string;
  /** The title bar is drawn by the page and needs a draggable region. */
  readonly ownTitleBar: boolean;
  /** Answers go on while no window is open. */
  readonly background: boolean;
  /** What is weaker here than in the installed app, one sentence each. */
  readonly notices: readonly string[];
  /** Opens an address outside the app. Only the link guard calls it. */
  openExternal(url: SafeUrl): Promise<void>;
  /** Makes the window's frame and the system's own dialogs follow the theme. */
  showTheme(theme: 'system' | 'light' | 'dark'): void;
}

import { app, BrowserWindow, dialog, powerMonitor } from 'electron';
import type { MainText } from './main-text.ts';

export interface LeavingOptions {
  readonly text: () => MainText;
  /** Whether closing the last window ends the app. */
  readonly endsWithWindow: () => boolean;
  /** Ends the core. Running answers are stored as interrupted. */
  readonly closeCore: () => Promise<void>;
}

/** The buttons of the question that is asked while answers are running, in order. */
const choices = ['wait', 'quit', 'stay'] as const;

/** Waiting this long lets a queued message start right after the previous answer. */
const settleMs = 1_000;

/**
 * Ends the app: at once if no answer is running, otherwise as the user decides. Signals of the system end it without
 * asking.
 */
export function openLeaving({ text, endsWithWindow, closeCore }: LeavingOptions) {
  let answers = 0;
  let atEnd = () => app.quit();
  let systemEnds = false;
  let state: 'running' | 'asking' | 'waiting' | 'closing' | 'closed' = 'running';

  function close(): void {
    if (state === 'closing' || state === 'closed') return;
    state = 'closing';
    const all = async () => {
      await Promise.race([Promise.all(BrowserWindow.getAllWindows().map(closed)), after(2_000)]);
      await closeCore();
    };
    void all().finally(() => {
      state = 'closed';
      atEnd();
    });
  }

  async function ask(window: BrowserWindow | null): Promise<void> {
    if (state === 'asking') return;
    state = 'asking';
    atEnd = () => app.quit();
    const words = text();
    const options = {
      type: 'question' as const,
      title: 'Portico',
      message: words.stillWriting(answers),
      detail: words.stillWritingNote,
      buttons: choices.map((choice) => words.leaving[choice]),
      defaultId: choices.indexOf('wait'),
      cancelId: choices.indexOf('stay'),
      noLink: true,
    };
    const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
    const choice = choices[response] ?? 'stay';
    state = choice === 'wait' ? 'waiting' : 'running';
    if (choice === 'quit' || (choice === 'wait' && answers === 0)) return close();
    if (choice === 'wait') window?.minimize();
  }

  app.on('before-quit', (event) => {
    // Preventing the event now would cancel the user's log-off. What is stored survives an end at any moment.
    if (state === 'closed' || systemEnds) return;
    event.preventDefault();
    if (state === 'closing') return;
    if (answers > 0) void ask(BrowserWindow.getFocusedWindow());
    else close();
  });
  /** The system logs off, restarts or shuts down: everything is saved at once without asking. */
  function endWithSystem(): void {
    systemEnds = true;
    close();
  }

  // Before this moment, Electron would replace these handlers by its own.
  void app.whenReady().then(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, close);
    powerMonitor.on('shutdown', endWithSystem);
  });

  return {
    /** Asks before closing this window, if it is the last one and ends the app. */
    watch(window: BrowserWindow): void {
      // Windows announces a log-off to windows only, not to the app.
      window.on('session-end', endWithSystem);
      window.on('close', (event) => {
        if (answers === 0 || systemEnds || state === 'closing' || state === 'closed' || !endsWithWindow()) return;
        event.preventDefault();
        void ask(window);
      });
    },
    /**
     * Ends the app when no answer is running, and then calls `other` instead of quitting. Returns false if it has to
     * wait for answers.
     */
    endInto(other: () => void): boolean {
      if (state !== 'running') return false;
      atEnd = other;
      if (answers > 0) state = 'waiting';
      else close();
      return answers === 0;
    },
    keepRunning(): void {
      if (state === 'waiting') state = 'running';
      atEnd = () => app.quit();
    },
    showRunning(count: number): void {
      answers = count;
      if (count > 0 || state !== 'waiting') return;
      setTimeout(() => {
        if (answers === 0 && state === 'waiting') close();
      }, settleMs);
    },
  };
}

const after = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Closes a window instead of destroying it, so that its page can save pending input. */
const closed = (window: BrowserWindow) =>
  new Promise<void>((done) => {
    window.once('closed', done);
    window.hide();
    window.close();
  });

import { app, BrowserWindow, dialog, powerMonitor } from 'electron';
import type { MainText } from './main-text.ts';

export interface LeavingOptions {
  readonly text: () => MainText;
  /** Whether the program ends with the next window that is closed. */
  readonly endsWithWindow: () => boolean;
  /** Ends the core; running answers are kept as interrupted. */
  readonly closeCore: () => Promise<void>;
}

/** What is chosen while answers are being written: the buttons of the question, in order. */
const choices = ['wait', 'quit', 'stay'] as const;

/** A queued message begins right after the answer before it. */
const settleMs = 1_000;

/**
 * Ends the program: at once where nothing is being written, and else as the person decides. Signals of the system ask
 * nothing.
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
    // Whoever prevents it then cancels the person's log-off. What is stored survives a program that ends at any moment.
    if (state === 'closed' || systemEnds) return;
    event.preventDefault();
    if (state === 'closing') return;
    if (answers > 0) void ask(BrowserWindow.getFocusedWindow());
    else close();
  });
  /** The system logs off, restarts or shuts down: nothing is asked, and all is saved at once. */
  function endWithSystem(): void {
    systemEnds = true;
    close();
  }

  // Before, Electron puts its own handlers in their place.
  void app.whenReady().then(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, close);
    powerMonitor.on('shutdown', endWithSystem);
  });

  return {
    /** Asks before this window, the last one, ends the program. */
    watch(window: BrowserWindow): void {
      // Windows tells its windows of a log-off, and the program nothing.
      window.on('session-end', endWithSystem);
      window.on('close', (event) => {
        if (answers === 0 || systemEnds || state === 'closing' || state === 'closed' || !endsWithWindow()) return;
        event.preventDefault();
        void ask(window);
      });
    },
    /** Ends the app into something else than its end, when no answer is being written. False: there are some. */
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

/** A closed page saves pending input; one that is destroyed cannot. */
const closed = (window: BrowserWindow) =>
  new Promise<void>((done) => {
    window.once('closed', done);
    window.hide();
    window.close();
  });

import type { BrowserWindow } from 'electron';
import type { Log } from '#core/runtime/log/log.ts';
import { restartLimit } from '../core-process/restart-limit.ts';
import { watchForHang } from './watch-for-hang.ts';

export interface ReviveOptions {
  readonly log: Log;
  /** Called when the page has crashed too often. */
  readonly gaveUp: () => void;
}

/** Reloads the page at its location when its process crashes or hangs. */
export function reviveWindow(window: BrowserWindow, { log, gaveUp }: ReviveOptions): void {
  const { webContents } = window;
  const next = restartLimit(() => performance.now());

  webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    log({ event: 'window_ended', reason, code: exitCode });
    const pauseMs = next();
    if (pauseMs === null) return gaveUp();
    setTimeout(() => {
      if (!window.isDestroyed()) webContents.reload();
    }, pauseMs);
  });
  watchForHang(webContents, () => webContents.forcefullyCrashRenderer());
}

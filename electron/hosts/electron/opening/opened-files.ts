import { randomUUID } from 'node:crypto';
import { app } from 'electron';
import { filesAmong, isOwnFile } from './files-among.ts';

/** The most paths that wait for their page. Beyond that, the oldest are forgotten. */
const maxWaiting = 20;

export interface OpenedFilesOptions {
  readonly args: readonly string[];
  /** Shows the window at this hash, where the user decides. */
  readonly show: (hash: string) => void;
}

export type OpenedFiles = ReturnType<typeof followOpenedFiles>;

/**
 * Files that the system opens with the app: from the arguments of this start and of later ones, and on macOS from an
 * event. The page gets an id instead of a path, and the core exchanges it for the path once.
 */
export function followOpenedFiles({ args, show }: OpenedFilesOptions) {
  const waiting = new Map<string, string>();
  const ready = app.whenReady();
  function offer(path: string): void {
    const fileId = randomUUID();
    waiting.set(fileId, path);
    const [oldest] = waiting.keys();
    if (waiting.size > maxWaiting && oldest !== undefined) waiting.delete(oldest);
    void ready.then(() => show(`#open-file/${fileId}`));
  }
  for (const path of filesAmong(args, process.cwd())) offer(path);
  app.on('second-instance', (_event, later, folder) => {
    for (const path of filesAmong(later, folder)) offer(path);
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    // The file may have been dragged onto the app's icon.
    if (isOwnFile(path)) offer(path);
  });
  return {
    /** Returns the path of an id, once. Null for any other id. */
    take(fileId: string): string | null {
      const path = waiting.get(fileId) ?? null;
      waiting.delete(fileId);
      return path;
    },
  };
}

import { randomUUID } from 'node:crypto';
import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app } from 'electron';
import { chatsFile } from '#shared/chats-file.ts';

/**
 * Returns the app's own files among the program's arguments, as absolute paths. Linux passes them as `file:` addresses.
 * Switches and the value of `--data-dir` don't count.
 */
export function filesAmong(args: readonly string[], folder: string): string[] {
  return args.flatMap((arg, index) => {
    if (arg.startsWith('-') || args[index - 1] === '--data-dir') return [];
    const path = toPath(arg);
    return path !== null && isOwnFile(path) ? [resolve(folder, path)] : [];
  });
}

/** Decided by the file extension. The import checks the content. */
const isOwnFile = (path: string): boolean => extname(path).toLowerCase() === `.${chatsFile.ending}`;

function toPath(arg: string): string | null {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(arg)) return arg;
  try {
    return fileURLToPath(arg);
  } catch {
    return null;
  }
}

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

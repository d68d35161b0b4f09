import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
export const isOwnFile = (path: string): boolean => extname(path).toLowerCase() === `.${chatsFile.ending}`;

function toPath(arg: string): string | null {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(arg)) return arg;
  try {
    return fileURLToPath(arg);
  } catch {
    return null;
  }
}

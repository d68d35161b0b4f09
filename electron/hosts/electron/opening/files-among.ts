import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chatsFile } from '#shared/chats-file.ts';

/**
 * The app’s own files among the arguments of a start, as absolute paths. Linux names them by `file:` addresses. The data folder’s
 * name is none of them, and neither is a switch.
 */
export function filesAmong(args: readonly string[], folder: string): string[] {
  return args.flatMap((arg, index) => {
    if (arg.startsWith('-') || args[index - 1] === '--data-dir') return [];
    const path = toPath(arg);
    return path !== null && isOwnFile(path) ? [resolve(folder, path)] : [];
  });
}

/** By its ending; what is in it the import reads. */
export const isOwnFile = (path: string): boolean => extname(path).toLowerCase() === `.${chatsFile.ending}`;

function toPath(arg: string): string | null {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(arg)) return arg;
  try {
    return fileURLToPath(arg);
  } catch {
    return null;
  }
}

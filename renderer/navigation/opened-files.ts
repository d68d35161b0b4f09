import { create } from 'zustand';

/** Files that the system opened with the app and nobody has decided about yet, by their ids, oldest first. */
export const useOpenedFiles = create<{ readonly waiting: readonly string[] }>()(() => ({ waiting: [] }));

const maxWaiting = 20;

/** Takes a file that the app was opened with out of the address (`#open-file/<id>`). False: it is none. */
export function takeFile(hash: string): boolean {
  const [, fileId] = /^#open-file\/([\w-]{1,64})$/.exec(hash) ?? [];
  if (fileId === undefined) return false;
  useOpenedFiles.setState(({ waiting }) => ({ waiting: [...waiting, fileId].slice(0, maxWaiting) }));
  return true;
}

/** The oldest one is decided about. */
export const fileDone = (): void => useOpenedFiles.setState(({ waiting }) => ({ waiting: waiting.slice(1) }));

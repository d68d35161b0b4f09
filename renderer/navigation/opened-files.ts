import { create } from 'zustand';

/** Ids of files that the system opened with the app and that wait for a decision, oldest first. */
export const useOpenedFiles = create<{ readonly waiting: readonly string[] }>()(() => ({ waiting: [] }));

const maxWaiting = 20;

/**
 * Takes a file that the app was opened with out of the address (`#open-file/<id>`). Returns false if the address has
 * none.
 */
export function takeFile(hash: string): boolean {
  const [, fileId] = /^#open-file\/([\w-]{1,64})$/.exec(hash) ?? [];
  if (fileId === undefined) return false;
  useOpenedFiles.setState(({ waiting }) => ({ waiting: [...waiting, fileId].slice(0, maxWaiting) }));
  return true;
}

/** Removes the oldest file after a decision. */
export const fileDone = (): void => useOpenedFiles.setState(({ waiting }) => ({ waiting: waiting.slice(1) }));

import { create } from 'zustand';

/** Links from outside that wait for a decision, oldest first. */
export const useLinks = create<{ readonly waiting: readonly string[]; readonly gateway: string | null }>()(() => ({
  waiting: [],
  /** The address that a confirmed link offers to the form that connects. */
  gateway: null,
}));

const maxWaiting = 20;

/**
 * Takes a link that the app was opened with out of the address (`#open/<link>`). Returns false if the address has none.
 */
export function takeLink(hash: string): boolean {
  const [, written] = /^#open\/(.*)$/s.exec(hash) ?? [];
  if (written === undefined) return false;
  let link = written;
  try {
    link = decodeURIComponent(written);
  } catch {
    // An invalid encoding is shown as it is and refused.
  }
  useLinks.setState(({ waiting }) => ({ waiting: [...waiting, link].slice(0, maxWaiting) }));
  return true;
}

/** Removes the oldest link after a decision. */
export const linkDone = (): void => useLinks.setState(({ waiting }) => ({ waiting: waiting.slice(1) }));

import { create } from 'zustand';

/** Links from outside that nobody has decided about yet, oldest first. */
export const useLinks = create<{ readonly waiting: readonly string[]; readonly gateway: string | null }>()(() => ({
  waiting: [],
  /** The address that a confirmed link offers to the form that connects. */
  gateway: null,
}));

const maxWaiting = 20;

/** Takes a link that the app was opened with out of the address (`#open/<link>`). False: it is none. */
export function takeLink(hash: string): boolean {
  const [, written] = /^#open\/(.*)$/s.exec(hash) ?? [];
  if (written === undefined) return false;
  let link = written;
  try {
    link = decodeURIComponent(written);
  } catch {
    // Shown as it is, and refused.
  }
  useLinks.setState(({ waiting }) => ({ waiting: [...waiting, link].slice(0, maxWaiting) }));
  return true;
}

/** The oldest one is decided about. */
export const linkDone = (): void => useLinks.setState(({ waiting }) => ({ waiting: waiting.slice(1) }));

import { create } from 'zustand';

/** Whether the core answers, which the shell says when it does not; and whether the page before this one ended without being left. */
export const useConnection = create<{ lost: boolean; endedUnsaid: boolean }>()(() => ({
  lost: false,
  endedUnsaid: false,
}));

import { create } from 'zustand';

/**
 * `lost`: the core does not answer. `unknown`: it was started again and does not know this page. `endedUnsaid`: the page before this
 * one crashed or was killed.
 */
export const useConnection = create<{ lost: boolean; unknown: boolean; endedUnsaid: boolean }>()(() => ({
  lost: false,
  unknown: false,
  endedUnsaid: false,
}));

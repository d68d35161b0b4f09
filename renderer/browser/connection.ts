import { create } from 'zustand';

/** `lost`: the core does not answer. `endedUnsaid`: the page before this one crashed or was killed. */
export const useConnection = create<{ lost: boolean; endedUnsaid: boolean }>()(() => ({
  lost: false,
  endedUnsaid: false,
}));

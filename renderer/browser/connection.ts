import { create } from 'zustand';

/**
 * `lost`: the core doesn't answer. `unknown`: the core was restarted and doesn't know this page. `endedAbruptly`: the
 * page before this one crashed or was killed.
 */
export const useConnection = create<{ lost: boolean; unknown: boolean; endedAbruptly: boolean }>()(() => ({
  lost: false,
  unknown: false,
  endedAbruptly: false,
}));

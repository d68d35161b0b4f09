import { create } from 'zustand';
import { keep, readKept } from '../lib/kept.ts';

export const sidebarWidths = { least: 208, usual: 264, most: 400 } as const;

interface ShellState {
  open: boolean;
  width: number;
  /** The drawer of a narrow window. */
  drawer: boolean;
  overlay: 'palette' | 'shortcuts' | null;
  toggle: (narrow: boolean) => void;
  resize: (width: number) => void;
  show: (overlay: 'palette' | 'shortcuts' | null) => void;
}

const within = (width: number) => Math.round(Math.min(sidebarWidths.most, Math.max(sidebarWidths.least, width)));

export const useShell = create<ShellState>()((set, get) => ({
  open: readKept().sidebarOpen ?? true,
  width: within(readKept().sidebarWidth ?? sidebarWidths.usual),
  drawer: false,
  overlay: null,
  toggle: (narrow) => {
    if (narrow) return set({ drawer: !get().drawer });
    set({ open: !get().open });
    keep({ sidebarOpen: get().open });
  },
  resize: (width) => {
    set({ width: within(width) });
    keep({ sidebarWidth: get().width });
  },
  show: (overlay) => set({ overlay }),
}));

import { create } from 'zustand';
import { readLocalSettings, saveLocalSettings } from '../browser/local-settings.ts';

export const sidebarWidths = { narrowest: 208, initial: 264, widest: 400 } as const;

interface ShellState {
  open: boolean;
  width: number;
  /** The drawer of a narrow window. */
  drawer: boolean;
  overlay: 'palette' | 'shortcuts' | null;
  /** The query of the palette. */
  query: string;
  toggle: (narrow: boolean) => void;
  resize: (width: number) => void;
  show: (overlay: 'palette' | 'shortcuts' | null) => void;
  seek: (query: string) => void;
}

const within = (width: number) => Math.round(Math.min(sidebarWidths.widest, Math.max(sidebarWidths.narrowest, width)));

export const useShell = create<ShellState>()((set, get) => ({
  open: readLocalSettings().sidebarOpen ?? true,
  width: within(readLocalSettings().sidebarWidth ?? sidebarWidths.initial),
  drawer: false,
  overlay: null,
  query: '',
  toggle: (narrow) => {
    if (narrow) return set({ drawer: !get().drawer });
    set({ open: !get().open });
    saveLocalSettings({ sidebarOpen: get().open });
  },
  resize: (width) => {
    set({ width: within(width) });
    saveLocalSettings({ sidebarWidth: get().width });
  },
  show: (overlay) => set(overlay ? { overlay, query: '' } : { overlay }),
  seek: (query) => set({ query }),
}));

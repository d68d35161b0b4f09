import { create } from 'zustand';
import { keep, readKept } from '../lib/kept.ts';

interface OpenFolders {
  open: ReadonlySet<string>;
  toggle: (id: string) => void;
}

/** Which folders of the sidebar show what is in them. */
export const useOpenFolders = create<OpenFolders>()((set, get) => ({
  open: new Set(readKept().openFolders ?? []),
  toggle: (id) => {
    const open = new Set(get().open);
    if (!open.delete(id)) open.add(id);
    set({ open });
    keep({ openFolders: [...open] });
  },
}));

import { create } from 'zustand';
import { readLocalSettings, saveLocalSettings } from '../../../browser/local-settings.ts';

interface OpenFolders {
  open: ReadonlySet<string>;
  toggle: (id: string) => void;
}

/** Folders that are expanded in the sidebar. */
export const useOpenFolders = create<OpenFolders>()((set, get) => ({
  open: new Set(readLocalSettings().openFolders ?? []),
  toggle: (id) => {
    const open = new Set(get().open);
    if (!open.delete(id)) open.add(id);
    set({ open });
    saveLocalSettings({ openFolders: [...open] });
  },
}));

import { create } from 'zustand';
import type { Conversation } from '#shared/contract/chat/conversations.ts';

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string, selected: boolean) => void;
  readonly set: (ids: readonly string[]) => void;
}

export const useSelection = create<Selection>()((set, get) => ({
  ids: new Set(),
  toggle: (id, selected) => {
    const ids = new Set(get().ids);
    if (selected) ids.add(id);
    else ids.delete(id);
    set({ ids });
  },
  set: (ids) => set({ ids: new Set(ids) }),
}));

/** The selected chats that are still listed. */
export const getSelected = (conversations: readonly Conversation[], ids: ReadonlySet<string>): Conversation[] =>
  conversations.filter((each) => ids.has(each.id));

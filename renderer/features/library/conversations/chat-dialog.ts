import { create } from 'zustand';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { Folder } from '#shared/contract/chat/organise.ts';

/** The open dialog about chats. There is only one at a time, whichever part opened it. */
export type ChatDialog =
  | { readonly kind: 'rename'; readonly conversation: Conversation }
  | { readonly kind: 'move' | 'tags' | 'export' | 'forever'; readonly conversations: readonly Conversation[] }
  | { readonly kind: 'empty-trash' | 'new-folder' }
  | { readonly kind: 'rename-folder' | 'project'; readonly folder: Folder };

export const useChatDialog = create<{ asking: ChatDialog | null; ask: (asking: ChatDialog | null) => void }>()(
  (set) => ({
    asking: null,
    ask: (asking) => set({ asking }),
  }),
);

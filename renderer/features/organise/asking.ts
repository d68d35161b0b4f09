import { create } from 'zustand';
import type { Conversation } from '#shared/contract/conversations.ts';
import type { Folder } from '#shared/contract/organise.ts';

/** What is asked before something is done with chats: one dialog at a time, wherever it was asked for. */
export type Asking =
  | { readonly kind: 'rename'; readonly conversation: Conversation }
  | { readonly kind: 'move' | 'tags' | 'export' | 'forever'; readonly conversations: readonly Conversation[] }
  | { readonly kind: 'empty-trash' | 'new-folder' }
  | { readonly kind: 'rename-folder'; readonly folder: Folder };

export const useAsking = create<{ asking: Asking | null; ask: (asking: Asking | null) => void }>()((set) => ({
  asking: null,
  ask: (asking) => set({ asking }),
}));

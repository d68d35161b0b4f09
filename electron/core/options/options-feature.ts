import type { ChatOptions } from '#shared/contract/chat/options.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { OptionsStore } from './options-store.ts';

/** The options of a chat, read and set by its window. */
export function optionsFeature({ store, changes }: { store: OptionsStore; changes: Changes }) {
  return {
    get: ({ chat }: { chat: string }): Promise<ChatOptions> => store.read(chat),
    async set({ chat, options }: { chat: string; options: ChatOptions }): Promise<void> {
      await store.write(chat, options);
      changes.emit('options');
    },
  };
}

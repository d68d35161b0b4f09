import { type ChatOptions, chatOptions, noOptions } from '#shared/contract/chat/options.ts';
import { preset as presetSchema } from '#shared/contract/chat/presets.ts';
import type { Db } from '../../storage/database/db.ts';

/** The keys of chats that have no id yet: the new chats of windows, and the quick window. */
const newChat = /^(new(-.*)?|quick)$/;

/** Stores the options of each chat: system prompt, parameters, and what happens when the context is full. */
export function optionsStore(db: Db) {
  const write = async (chat: string, options: ChatOptions): Promise<void> => {
    const value = JSON.stringify(options);
    await db
      .insertInto('chat_options')
      .values({ chat, value })
      .onConflict((conflict) => conflict.column('chat').doUpdateSet({ value }))
      .execute();
  };

  async function read(chat: string): Promise<ChatOptions> {
    const row = await db.selectFrom('chat_options').select('value').where('chat', '=', chat).executeTakeFirst();
    const kept = row ? chatOptions.safeParse(JSON.parse(row.value)) : null;
    if (kept?.success) return kept.data;
    return newChat.test(chat) ? presetOptions(db) : noOptions;
  }

  return {
    read,
    write,
    /** Moves the options of a new chat to the id that it has got. */
    async adopt(conversationId: string, from: string): Promise<void> {
      await write(conversationId, await read(from));
      await db.deleteFrom('chat_options').where('chat', '=', from).execute();
    },
    async forget(chat: string): Promise<void> {
      await db.deleteFrom('chat_options').where('chat', '=', chat).execute();
    },
  };
}

export type OptionsStore = ReturnType<typeof optionsStore>;

async function presetOptions(db: Db): Promise<ChatOptions> {
  const row = await db.selectFrom('presets').select('value').where('for_new_chats', '=', 1).executeTakeFirst();
  const found = row
    ? presetSchema.pick({ system: true, parameters: true, router: true }).safeParse(JSON.parse(row.value))
    : null;
  return found?.success ? { ...noOptions, ...found.data } : noOptions;
}

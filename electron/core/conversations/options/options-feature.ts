import type { ChatOptions, NamedOptions } from '#shared/contract/chat/options.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { OptionsStore } from './options-store.ts';

export interface OptionsDeps extends CoreContext {
  readonly store: OptionsStore;
  readonly modelFacts: DescribeModel;
}

/** Reads and sets the options of a chat for its window. */
export function optionsFeature({ store, modelFacts, changes }: OptionsDeps) {
  return {
    async get({ chat }: { chat: string }): Promise<NamedOptions> {
      const options = await store.read(chat);
      return { ...options, names: Object.fromEntries(options.ignore.map((id) => [id, modelFacts(id)?.name ?? id])) };
    },
    async set({ chat, options }: { chat: string; options: ChatOptions }): Promise<void> {
      await store.write(chat, options);
      changes.emit('options');
    },
  };
}

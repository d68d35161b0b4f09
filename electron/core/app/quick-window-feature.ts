import type { QuickWindow } from '#shared/contract/app/quick-window.ts';
import { refusal, tell } from '#shared/language/refusals.ts';
import type { Host } from '../runtime/host/host.ts';
import type { SettingsStore } from '../storage/settings/settings-store.ts';

export interface QuickWindowDeps {
  readonly store: SettingsStore;
  readonly host: Pick<Host, 'quickWindow'>;
}

const name = 'quick-window';

/** The small window and the shortcut of the whole system that shows it: off until it is set. */
export function quickWindowFeature({ store, host: { quickWindow } }: QuickWindowDeps) {
  let state: QuickWindow = { keys: null, problem: null };
  return {
    /** Takes the shortcut of last time. Another program may have it by now, which is said in the settings. */
    async load(): Promise<void> {
      const keys = await store.readText(name);
      if (!quickWindow || keys === null) return;
      state = { keys, problem: (await quickWindow.setKeys(keys)) ? null : tell('keysTaken') };
    },
    get: (): QuickWindow => state,
    async setKeys({ keys }: { keys: string | null }): Promise<QuickWindow> {
      if (!quickWindow) return state;
      if (!(await quickWindow.setKeys(keys))) throw refusal('invalid_input', 'keysTaken');
      state = { keys, problem: null };
      if (keys === null) await store.forget(name);
      else await store.write(name, keys);
      return state;
    },
    async hide(): Promise<void> {
      await quickWindow?.hide();
    },
    async continueInMain({ conversationId }: { conversationId: string | null }): Promise<void> {
      await quickWindow?.continueInMain(conversationId);
    },
  };
}

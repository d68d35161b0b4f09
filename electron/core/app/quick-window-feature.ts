import type { QuickWindow } from '#shared/contract/app/quick-window.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import type { CoreContext } from '../storage/core-context.ts';

const name = 'quick-window';

/** The small window and the system-wide shortcut that shows it. It is off until the user sets a shortcut. */
export function quickWindowFeature({ settings, host: { quickWindow } }: CoreContext) {
  let state: QuickWindow = { keys: null, problem: null };
  return {
    /**
     * Registers the stored shortcut. Another program may have taken it meanwhile; the settings page then shows that.
     */
    async load(): Promise<void> {
      const keys = await settings.readText(name);
      if (!quickWindow || keys === null) return;
      state = { keys, problem: (await quickWindow.setKeys(keys)) ? null : toProblemText('keysTaken') };
    },
    get: (): QuickWindow => state,
    async setKeys({ keys }: { keys: string | null }): Promise<QuickWindow> {
      if (!quickWindow) return state;
      if (!(await quickWindow.setKeys(keys))) throw refusal('invalid_input', 'keysTaken');
      state = { keys, problem: null };
      if (keys === null) await settings.forget(name);
      else await settings.write(name, keys);
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

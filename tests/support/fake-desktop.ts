import { implement } from '@orpc/server';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import { contract } from '#shared/contract/index.ts';
import { refusal } from '#shared/language/refusals.ts';

const idle: UpdateState = {
  status: 'idle',
  version: null,
  percent: null,
  notes: null,
  checkedAt: null,
  problem: null,
};

/**
 * The features that only the installed app has, over made-up data. Shortcuts with an F are taken by another program.
 */
export function fakeDesktop(guard: (method: string) => Promise<void>) {
  const os = implement(contract);
  let keys: string | null = null;
  let state = idle;
  const become = (next: Partial<UpdateState>) => {
    state = { ...state, ...next };
    return state;
  };
  return {
    testSecrets: os.app.testSecrets.handler(async () => {
      await guard('app.testSecrets');
      return { storage: 'session', backend: null, files: 12, bytes: 40_000, found: [], unread: [], backup: true };
    }),
    quickWindow: {
      get: os.quickWindow.get.handler(async () => {
        await guard('quickWindow.get');
        return { keys, problem: null };
      }),
      setKeys: os.quickWindow.setKeys.handler(async ({ input }) => {
        await guard('quickWindow.setKeys');
        if (input.keys?.endsWith('+F')) throw refusal('invalid_input', 'keysTaken');
        keys = input.keys;
        return { keys, problem: null };
      }),
      hide: os.quickWindow.hide.handler(() => guard('quickWindow.hide')),
      continueInMain: os.quickWindow.continueInMain.handler(() => guard('quickWindow.continueInMain')),
    },
    updates: {
      get: os.updates.get.handler(async () => {
        await guard('updates.get');
        return state;
      }),
      check: os.updates.check.handler(async () => {
        await guard('updates.check');
        return become({ status: 'ready', version: '0.2.0', notes: '- <b>Faster</b>', checkedAt: Date.now() });
      }),
      install: os.updates.install.handler(() => become({ status: 'waiting' })),
      postpone: os.updates.postpone.handler(() => become({ status: 'ready' })),
    },
  };
}

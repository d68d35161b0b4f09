import { type ElectronApplication, _electron as electron } from 'playwright';

type Options = NonNullable<Parameters<typeof electron.launch>[0]>;

const tries = 4;

/**
 * Starts Electron under Playwright. Where the window's first navigation commits while Playwright is still attaching, it waits
 * for a commit that it has missed (seen with Electron 33, about one start in ten): such a start is ended and made again.
 */
export async function launchElectron(options: Options): Promise<ElectronApplication> {
  for (let left = tries; ; left--) {
    try {
      return await electron.launch({ ...options, timeout: 10_000 * (tries - left + 1) });
    } catch (error) {
      if (left === 1 || !(error instanceof Error && error.name === 'TimeoutError')) throw error;
    }
  }
}

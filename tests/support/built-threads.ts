import { builtOnce } from './built-once.ts';
import { shippedBuild } from './shipped-build.ts';

/** The folder with the programs of the core's threads as they ship: one starts in a fifth of the processor time that its sources take. */
export const builtThreads = (): Promise<string> =>
  builtOnce('threads', ['shared', 'gateway', 'electron/core'], async (folder) => {
    const build = await shippedBuild();
    await build('main', folder, (program) => program.endsWith('-worker'));
  });

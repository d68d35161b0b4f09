import { builtOnce } from './built-once.ts';
import { shippedBuild } from './shipped-build.ts';

/**
 * Returns the folder with the core's worker programs as they ship. A built worker starts in a fifth of the processor
 * time that its sources need.
 */
export const builtThreads = (): Promise<string> =>
  builtOnce('threads', ['shared', 'gateway', 'electron/core'], async (folder) => {
    const build = await shippedBuild();
    await build('main', folder, (program) => program.endsWith('-worker'));
  });

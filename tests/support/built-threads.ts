import { fileURLToPath } from 'node:url';
import { builtOnce } from './built-once.ts';

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));

/** The folder with the programs of the core's threads as they ship: one starts in a fifth of the processor time that its sources take. */
export const builtThreads = (): Promise<string> =>
  builtOnce('threads', ['shared', 'gateway', 'electron/core'], async (outDir) => {
    // Loading it takes longer than most tests, which find everything built.
    const { createBuilder } = await import('vite');
    const builder = await createBuilder({ configFile, logLevel: 'error' });
    const environment = builder.environments.main;
    if (!environment) throw new Error('the build has no environment "main"');
    const { build } = environment.config;
    const programs = Object.entries(build.rolldownOptions.input ?? {}).filter(([name]) => name.endsWith('-worker'));
    build.rolldownOptions.input = Object.fromEntries(programs);
    build.outDir = outDir;
    await builder.build(environment);
  });

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtOnce } from './built-once.ts';

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));

/** The file of the gateway's command line as it ships: it starts in a third of the processor time that its sources take. */
export async function builtCli(): Promise<string> {
  const folder = await builtOnce('gateway', ['shared', 'gateway'], async (outDir) => {
    // Loading it takes longer than most tests, which find everything built.
    const { createBuilder } = await import('vite');
    const builder = await createBuilder({ configFile, logLevel: 'error' });
    const environment = builder.environments.gateway;
    if (!environment) throw new Error('the build has no environment "gateway"');
    environment.config.build.outDir = outDir;
    await builder.build(environment);
  });
  return join(folder, 'cli.js');
}

import { fileURLToPath } from 'node:url';

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));

/**
 * Returns a function that builds one environment of the app into a folder, as it ships. `isWanted`
 * picks the programs to build.
 */
export async function shippedBuild() {
  // Vite is imported late because loading it takes longer than most tests, which find everything already built.
  const { createBuilder } = await import('vite');
  const builder = await createBuilder({ configFile, logLevel: 'error' });
  return async (name: string, outDir: string, isWanted?: (program: string) => boolean): Promise<void> => {
    const environment = builder.environments[name];
    if (!environment) throw new Error(`the build has no environment "${name}"`);
    const { build } = environment.config;
    build.outDir = outDir;
    if (isWanted) {
      const programs = Object.entries(build.rolldownOptions.input ?? {}).filter(([program]) => isWanted(program));
      build.rolldownOptions.input = Object.fromEntries(programs);
    }
    await builder.build(environment);
  };
}

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtOnce } from '../support/built-once.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export interface BuiltHosts {
  /** An app folder that Electron can start. */
  readonly folder: string;
  readonly webMain: string;
}

/** Both hosts as they ship, and in place of the app's page one that gives the test its connection to the core. */
export async function builtHosts(): Promise<BuiltHosts> {
  const folder = await builtOnce('hosts', ['shared', 'gateway', 'electron', 'tests/hosts/page'], buildHosts);
  return { folder, webMain: `${folder}/main/web.js` };
}

async function buildHosts(folder: string): Promise<void> {
  writeFileSync(`${folder}/package.json`, '{"name":"portico","version":"9.8.7","type":"module","main":"main/main.js"}');
  const { build, createBuilder } = await import('vite');
  const builder = await createBuilder({ configFile: path('../../vite.config.ts'), logLevel: 'error' });
  for (const environment of ['main', 'preload'] as const) {
    const one = builder.environments[environment];
    if (!one) throw new Error(`the build has no environment "${environment}"`);
    one.config.build.outDir = `${folder}/${environment}`;
    await builder.build(one);
  }
  await build({
    configFile: false,
    root: path('./page'),
    base: './',
    logLevel: 'error',
    build: { outDir: `${folder}/renderer`, emptyOutDir: true, modulePreload: false, target: 'chrome130' },
  });
}

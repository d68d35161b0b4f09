import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtOnce } from '../support/built-once.ts';
import { shippedBuild } from '../support/shipped-build.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export interface BuiltHosts {
  /** An app folder that Electron can start. */
  readonly folder: string;
  readonly webMain: string;
}

/** Builds both hosts as they ship, except for the page: theirs gives the test its connection to the core. */
export async function builtHosts(): Promise<BuiltHosts> {
  const folder = await builtOnce('hosts', ['shared', 'gateway', 'electron', 'tests/hosts/page'], buildHosts);
  return { folder, webMain: `${folder}/main/web.js` };
}

async function buildHosts(folder: string): Promise<void> {
  writeFileSync(`${folder}/package.json`, '{"name":"portico","version":"9.8.7","type":"module","main":"main/main.js"}');
  const buildShipped = await shippedBuild();
  for (const environment of ['main', 'preload']) await buildShipped(environment, `${folder}/${environment}`);
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: path('./page'),
    base: './/',
    logLevel: 'error',
    build: { outDir: `${folder}/renderer`, emptyOutDir: true, modulePreload: false, target: 'chrome130' },
  });
}

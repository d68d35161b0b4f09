import type { Plugin } from 'vite';
import { getLicense, withDependencies } from './locked-packages.ts';

/** What ships as it comes from its package, so that the bundler, which lists the licences of modules, does not see it. */
export const copied = ['mermaid', 'tailwindcss'];

/** Puts the licences of what is copied beside those of what is bundled. */
export function assetLicenses(): Plugin {
  return {
    name: 'portico:asset-licenses',
    applyToEnvironment: (environment) => environment.name === 'client',
    generateBundle() {
      const source = `# Licences of what is copied\n\n${withDependencies(copied).map(getLicense).join('\n')}`;
      this.emitFile({ type: 'asset', fileName: 'asset-licenses.md', source });
    },
  };
}

import type { Plugin } from 'vite';
import { getLicense, withDependencies } from './locked-packages.ts';

/** Packages whose files ship unchanged. The bundler lists the licences of bundled modules and doesn't see these. */
export const copied = ['mermaid', 'tailwindcss'];

/** Adds the licences of the copied packages to those of the bundled ones. */
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

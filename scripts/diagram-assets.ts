import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

const library = createRequire(import.meta.url).resolve('mermaid/dist/mermaid.min.js');
const address = 'diagram/mermaid.js';

/**
 * Puts the diagram library next to `renderer/public/diagram/index.html`, as a plain script: a frame without an origin
 * can load that, while modules would need CORS.
 */
export function diagramAssets(): Plugin {
  return {
    name: 'portico:diagram-assets',
    applyToEnvironment: (environment) => environment.name === 'client',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url?.split('?', 1)[0] !== `/${address}`) return next();
        response.setHeader('content-type', 'text/javascript; charset=utf-8');
        response.setHeader('cross-origin-resource-policy', 'cross-origin');
        createReadStream(library).pipe(response);
      });
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: address, source: await readFile(library) });
    },
  };
}

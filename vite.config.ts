import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { type BuildEnvironmentOptions, defineConfig, type EnvironmentOptions } from 'vite';
import { assetLicenses } from './scripts/asset-licenses.ts';
import { compressedAssets } from './scripts/compressed-assets.ts';
import { diagramAssets } from './scripts/diagram-assets.ts';
import { firstChunk } from './scripts/first-chunk.ts';
import { iconsByFile } from './scripts/icons-by-file.ts';
import { nodeHttp } from './scripts/node-http.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Parts of libraries that are never used: reading text in pictures, writing PDFs. */
const neverLoaded = ['tesseract.js', 'pdf-lib', 'puppeteer'];

/** The licences of bundled packages require their text in what ships. */
const license = { fileName: 'licenses.md' };

/**
 * Native modules and Electron itself stay outside. Everything else is bundled, so that only code that is used ships. A
 * plugin provides `node:http`.
 */
const external = ['electron', 'better-sqlite3', /^keytar/, 'pg-native', /^node:(?!http$)/, ...neverLoaded];

function nodeBuild(outDir: string, input: Record<string, string>): BuildEnvironmentOptions {
  return {
    outDir: path(`dist/${outDir}`),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    copyPublicDir: false,
    license,
    rolldownOptions: { input, external, output: { format: 'esm', entryFileNames: '[name].js' } },
  };
}

/** The worker programs that a gateway needs. */
const gatewayThreads = {
  'body-worker': path('gateway/api/worker/body-worker.ts'),
  'checkpoint-worker': path('gateway/storage/checkpoint-worker.ts'),
  'reading-worker': path('gateway/storage/reading-worker.ts'),
};

const node: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, conditions: ['node', 'module'] },
};

/**
 * One configuration for the renderer, the two hosts, the preload and the gateway. `vite build --app` builds them all.
 */
export default defineConfig({
  root: path('renderer'),
  base: './',
  plugins: [
    react({ compiler: true }),
    iconsByFile(),
    nodeHttp(),
    tailwindcss(),
    diagramAssets(),
    assetLicenses(),
    compressedAssets(),
  ],
  // The highlighter loads its grammars one by one. That's possible in an ES module, but not in the default format.
  worker: { format: 'es' },
  server: { host: '127.0.0.1', port: 5173, strictPort: false },
  builder: {
    async buildApp(builder) {
      // The gateway's container needs no part of the app.
      const only = process.env.PORTICO_BUILD;
      for (const environment of Object.values(builder.environments)) {
        if (only === undefined || environment.name === only) await builder.build(environment);
      }
    },
  },
  environments: {
    client: {
      build: {
        outDir: path('dist/renderer'),
        emptyOutDir: true,
        target: 'chrome130',
        // A small font would otherwise become a data URL, which `font-src 'self'` refuses.
        assetsInlineLimit: 0,
        // All browsers of this target preload modules without a polyfill.
        modulePreload: { polyfill: false },
        license,
        sourcemap: false,
        // The window loads from the local disk, so a large chunk costs a few milliseconds and not a download.
        chunkSizeWarningLimit: 1000,
        rolldownOptions: {
          input: path('renderer/index.html'),
          output: {
            codeSplitting: {
              groups: [{ name: 'zod', test: /node_modules\/zod\/|no-compiling/ }, firstChunk(path('renderer/main.ts'))],
            },
          },
          checks: { pluginTimings: false },
        },
      },
    },
    main: {
      ...node,
      build: nodeBuild('main', {
        main: path('electron/hosts/electron/main.ts'),
        'core-process': path('electron/hosts/electron/core-process/core-process.ts'),
        web: path('electron/hosts/web/main.ts'),
        'database-worker': path('electron/core/worker/database-worker.ts'),
        ...gatewayThreads,
        'document-worker': path('electron/core/files/attachments/document-worker.ts'),
        'import-worker': path('electron/core/transfer/reading/import-worker.ts'),
        'page-worker': path('electron/core/tools/built-in/page-worker.ts'),
      }),
    },
    preload: {
      ...node,
      build: {
        ...nodeBuild('preload', { preload: path('electron/hosts/electron/preload.ts') }),
        // A sandboxed preload must be CommonJS.
        rolldownOptions: {
          input: path('electron/hosts/electron/preload.ts'),
          external,
          output: { format: 'cjs', entryFileNames: 'preload.cjs' },
        },
      },
    },
    gateway: {
      ...node,
      build: nodeBuild('gateway', { cli: path('gateway/cli/main.ts'), ...gatewayThreads }),
    },
  },
});

import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { diagramAssets } from '../../../scripts/diagram-assets.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Builds the renderer as for users, but over the fake core. This build never ships. */
export default defineConfig({
  root: path('.'),
  base: './/',
  publicDir: path('../../../renderer/public'),
  plugins: [react({ compiler: true }), tailwindcss(), diagramAssets()],
  worker: { format: 'es' },
  build: { outDir: path('../../../dist/fake-app'), emptyOutDir: true, target: 'chrome130', assetsInlineLimit: 0 },
});

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react, { reactCompilerPreset } from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { chromium } from 'playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { diagramAssets } from './scripts/diagram-assets.ts';
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts';

keepTemporaryFilesInMemory();

const systemChromium = process.env.PORTICO_CHROMIUM ?? '/usr/bin/chromium';
const launchOptions = existsSync(chromium.executablePath())
  ? { args: ['--no-sandbox'] }
  : { executablePath: systemChromium, args: ['--no-sandbox'] };

/**
 * What a database has a part in, as statements, types, locks or commits, on PostgreSQL as well: these open their books by
 * `testDatabase()`. What the gateway does before and after its books (bodies, forms, attempts, sockets, clients) is shown once.
 */
const onBothEngines = [
  'gateway/cli/{backup,cli,serve}.test.ts',
  'gateway/configuration/plans.test.ts',
  'gateway/engine/{billing-table,disconnect,drained-answers,engine,hostile-usage,token-classes}.test.ts',
  'gateway/testing/open-gateway.test.ts',
  'gateway/auth/{authorization-matrix,authorize,signing-keys,verify-token}.test.ts',
  'gateway/db/migrations/{findable,provenance}.test.ts',
  'gateway/embeddings/embeddings.test.ts',
  'gateway/idempotency/idempotency.test.ts',
  'gateway/reasoning/kept-reasoning.test.ts',
  'gateway/keys/{keys,key-authority,key-reach,key-tree}.test.ts',
  'gateway/ledger/verify-books.test.ts',
  'gateway/limits/{limits,limit-store}.test.ts',
  'gateway/metrics/traffic.test.ts',
  'gateway/prices/prices.test.ts',
  'gateway/records/{refusals,request-lookups,routing-details}.test.ts',
  'gateway/chat/{chat,numbers}.test.ts',
  'gateway/routes/{quote,records}.test.ts',
  'tests/bench/books/measure-books.test.ts',
  // The contract is kept on both, whole.
  'tests/contract/gateway/*.test.ts',
];

/** For what starts real processes, databases and browsers. */
const processes: TestProjectInlineConfiguration['test'] = {
  environment: 'node',
  // Much of it waits, for processes of its own and for time to pass: two workers would leave two cores idle now and then.
  maxWorkers: 3,
  // Limits for what hangs, not for what is slow.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  // Programs that are started from their source a hundred times are compiled once.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/node', import.meta.url)) },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...processes,
          name: 'node',
          include: ['{shared,gateway,electron,tests}/**/*.test.ts', 'renderer/**/*.test.ts'],
          exclude: ['tests/e2e/**', '**/node_modules/**', '**/*.postgres.test.ts'],
        },
      },
      {
        // The gateway's behaviour once more, on PostgreSQL, and what only several instances on one database do.
        test: {
          ...processes,
          name: 'postgres',
          globalSetup: 'gateway/testing/postgres-setup.ts',
          include: ['{gateway,tests}/**/*.postgres.test.ts', ...onBothEngines],
        },
      },
      {
        plugins: [
          react(),
          babel({ presets: [reactCompilerPreset()], include: /renderer\/.*\.tsx?$/ }),
          tailwindcss(),
          diagramAssets(),
        ],
        cacheDir: fileURLToPath(new URL('.cache/vite', import.meta.url)),
        worker: { format: 'es' },
        publicDir: fileURLToPath(new URL('renderer/public', import.meta.url)),
        optimizeDeps: {
          // Plain modules, loaded when a grammar is met: bundling them on first sight would reload the page under a test.
          exclude: ['shiki', '@shikijs/langs'],
          include: [
            'react-dom/client',
            '@orpc/client/message-port',
            '@orpc/server/message-port',
            '@orpc/server',
            '@orpc/contract',
            'zod',
            'zod/v4/core',
          ],
        },
        test: {
          name: 'browser',
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          include: ['renderer/**/*.test.tsx'],
          // One page at a time: two would starve each other on two cores.
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium', viewport: { width: 1280, height: 800 } }],
          },
        },
      },
    ],
  },
});

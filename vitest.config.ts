import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { chromium } from 'playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { diagramAssets } from './scripts/diagram-assets.ts';
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts';

keepTemporaryFilesInMemory();

// Components are tested as they ship: React without its development checks, which took a fifth
// of a test's processor time.
process.env.NODE_ENV = 'production';

const systemChromium = process.env.PORTICO_CHROMIUM ?? '/usr/bin/chromium';
const launchOptions = existsSync(chromium.executablePath())
  ? { args: ['--no-sandbox'] }
  : { executablePath: systemChromium, args: ['--no-sandbox'] };

/**
 * Tests that also run on PostgreSQL, because a database's statements, types, locks or commits matter to them. They open
 * their ledger with `testDatabase()`. What the gateway does before and after the ledger (bodies, parsing, attempts,
 * sockets, clients) is tested on one engine only.
 */
const onBothEngines = [
  'gateway/engine/billing/{holds,provider-cost}.test.ts',
  'gateway/operations/configuration/plans.test.ts',
  'gateway/engine/{billing-table,disconnect,drain-after-disconnect,engine,hostile-usage,token-classes,usage-after-disconnect}.test.ts',
  'tests/gateway-doubles/open-gateway.test.ts',
  'gateway/access/auth/{authorization-matrix,authorize,signing-keys,verify-token}.test.ts',
  'gateway/storage/migrations/{findable,provenance}.test.ts',
  'gateway/api/embeddings/embedding-costs.test.ts',
  'gateway/engine/idempotency/idempotency.test.ts',
  'gateway/engine/reasoning/reasoning-state.test.ts',
  'gateway/access/keys/{keys,key-authority,key-reach,key-tree}.test.ts',
  'gateway/ledger/{model-limits,check-ledger}.test.ts',
  'gateway/access/limits/{limits,limit-store}.test.ts',
  'gateway/operations/metrics/traffic.test.ts',
  'gateway/models/prices/prices.test.ts',
  'gateway/ledger/records/{account-limits,request-lookups,usage-store}.test.ts',
  'gateway/api/chat/numbers.test.ts',
  'gateway/api/records/{quote,records}.test.ts',
  // The complete contract is tested on both engines.
  'tests/contract/gateway/*.test.ts',
];
const besideOthersOnBothEngines = ['gateway/cli/{account-limits,backup,cli,serve}.test.ts'];
const aloneOnBothEngines = [
  'gateway/ledger/records/routing-details.test.ts',
  'tests/bench/ledger/measure-ledger.test.ts',
];

/** Settings for tests that start real processes, databases and browsers. */
const processes: TestProjectInlineConfiguration['test'] = {
  environment: 'node',
  setupFiles: ['tests/support/seeded-properties.ts'],
  // Many tests wait, for their own processes and for time to pass. With as many workers as cores, the cores would
  // sometimes be idle. With four, and as many again of other suites, the same work takes more processor time.
  maxWorkers: 3,
  // These limits are for tests that hang, not for slow ones.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  env: {
    // Programs that tests start from source about a hundred times are compiled once.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/node', import.meta.url)),
    // Programs started by tests inherit this. With `production`, npm would install no development tools.
    NODE_ENV: 'test',
  },
};

/**
 * Files that run one after another in one process, which loads the modules once. That saves more than 40 % of the
 * processor time. After each file, a check looks for state that it has left behind.
 */
const together: TestProjectInlineConfiguration['test'] = {
  ...processes,
  isolate: false,
  setupFiles: ['tests/support/seeded-properties.ts', 'tests/support/nothing-left.ts'],
};

/**
 * Files that measure or end their process, change its clock or replace Node's modules. Each
 * runs in a process of its own.
 */
const alone = [
  'gateway/cli/refresh-daily.test.ts',
  'gateway/ledger/sqlite/write-ahead-log-fault.test.ts',
  'gateway/ledger/records/routing-details.test.ts',
  'tests/bench/**/*.test.ts',
  'tests/fault/{large-bodies,soak}.test.ts',
];

/**
 * Files whose tests share a ledger with other processes run only with files of the same kind: the ids of one process
 * never go back in time, even if the file before used another clock.
 */
const besideOthers = ['gateway/cli/*.test.ts', 'tests/{fault,hosts,operations,support}/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...together,
          name: 'node',
          include: ['{shared,gateway,electron,renderer,tests}/**/*.test.ts'],
          exclude: ['tests/e2e/**', '**/node_modules/**', '**/*.postgres.test.ts', ...besideOthers, ...alone],
        },
      },
      {
        test: {
          ...together,
          name: 'node-processes',
          include: besideOthers,
          exclude: ['**/*.postgres.test.ts', ...alone],
        },
      },
      {
        test: { ...processes, name: 'node-alone', include: alone, exclude: ['**/*.postgres.test.ts'] },
      },
      {
        // Coding agents as their makers ship them. `npm test -- agents` installs them.
        test: { ...processes, name: 'agents', include: ['tests/agents/*.agent.ts'] },
      },
      {
        // The gateway's behaviour once more on PostgreSQL, and what only several instances on one database do.
        test: {
          ...together,
          name: 'postgres',
          globalSetup: 'tests/gateway-doubles/postgres-setup.ts',
          include: ['{gateway,tests}/**/*.postgres.test.ts', ...onBothEngines],
          exclude: [...besideOthers, ...alone],
        },
      },
      {
        test: {
          ...together,
          name: 'postgres-processes',
          globalSetup: 'tests/gateway-doubles/postgres-setup.ts',
          include: ['tests/{fault,operations}/**/*.postgres.test.ts', ...besideOthersOnBothEngines],
        },
      },
      {
        test: {
          ...processes,
          name: 'postgres-alone',
          globalSetup: 'tests/gateway-doubles/postgres-setup.ts',
          include: aloneOnBothEngines,
        },
      },
      {
        plugins: [react({ compiler: true }), tailwindcss(), diagramAssets()],
        cacheDir: fileURLToPath(new URL('.cache/vite', import.meta.url)),
        worker: { format: 'es' },
        publicDir: fileURLToPath(new URL('renderer/public', import.meta.url)),
        optimizeDeps: {
          // Plain modules that load when a grammar is needed. If Vite bundled them when it first finds them, the page
          // would reload during a test.
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
          // As in `together`, a page loads the modules once and not for each file. That saves a
          // third of the processor time.
          isolate: false,
          setupFiles: ['tests/support/nothing-left-on-page.ts'],
          testTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          include: ['renderer/**/*.test.tsx'],
          // A page waits for its server and its clocks half of the time, so two run at once.
          maxWorkers: 2,
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

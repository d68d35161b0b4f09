// `npm test`: every suite, with one count at the end. `npm test -- types unit` runs only those named.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { environment, prepare, root, run, say, UserError } from './bootstrap.mjs';
import { chromium } from './chromium.mjs';
import { electronRuntime, noDisplay } from './electron-runtime.mjs';

const areas = ['shared', 'shared/client', 'gateway', 'electron', 'electron/hosts/electron', 'renderer', 'tests'];
const reports = join(root, 'test-results');
const passed = { passed: 1, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };

const suites = {
  types: ({ call }) => areas.map((area) => (call('tsc', ['-p', area]) ? passed : failed)).reduce(add),
  lint: ({ call }) => (call('biome', ['check', '--error-on-warnings', '.']) ? passed : failed),
  unused: ({ call }) => (call('knip', []) ? passed : failed),
  unit: (tools) => vitest(tools, 'node', tools.windows.missing ? {} : tools.windows),
  postgres: (tools) => {
    if (onPath('postgres') || existsSync('/usr/lib/postgresql')) return vitest(tools, 'postgres', {});
    say('the tests on PostgreSQL are skipped, because it is not installed.');
    return { passed: 0, failed: 0, skipped: 1 };
  },
  components: (tools) => vitest(tools, 'browser', {}),
  web: (tools) => playwright(tools, 'web', {}),
  electron: (tools) => {
    if (!tools.windows.missing) return playwright(tools, 'electron', tools.windows);
    say(`the Electron tests are skipped, because ${tools.windows.missing}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  },
};

await run((words) => {
  const unknown = words.filter((word) => !(word in suites));
  if (unknown.length) throw new UserError(`no suite "${unknown[0]}". There are: ${Object.keys(suites).join(', ')}.`, 2);
  const node = prepare();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const tools = toolbox(node);
  const total = (words.length ? words : Object.keys(suites))
    .map((name) => {
      const start = Date.now();
      const result = suites[name](tools);
      say(`${name}: ${sentence(result)} in ${Math.round((Date.now() - start) / 1000)} s`);
      return result;
    })
    .reduce(add);
  process.stdout.write(`${sentence(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});

function toolbox(node) {
  const browser = chromium(node);
  return {
    windows: windowsFor(node),
    call(command, parameters, { prefix = [], env = {} } = {}) {
      const [program, ...rest] = [...prefix, join(root, 'node_modules', '.bin', command), ...parameters];
      const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' };
      return (
        spawnSync(program, rest, { ...options, env: environment(node, { PORTICO_CHROMIUM: browser, ...env }) })
          .status === 0
      );
    },
  };
}

/** What opens real windows here: Electron's program, and a virtual display where there is none. */
function windowsFor(node) {
  const runtime = electronRuntime(node, { download: !process.env.CI });
  if (runtime.missing) return { missing: runtime.missing };
  if (noDisplay() && !onPath('xvfb-run')) return { missing: `${noDisplay()} and no xvfb-run` };
  return { prefix: noDisplay() ? ['xvfb-run', '-a'] : [], env: { PORTICO_ELECTRON: runtime.path } };
}

function vitest({ call }, project, options) {
  const report = join(reports, `${project}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = call('vitest', ['run', '--project', project, ...reporters], options);
  return settle(ok, report, (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
  }));
}

function playwright({ call }, project, { prefix = [], env = {} }) {
  const report = join(reports, `${project}.json`);
  const ok = call('playwright', ['test', '--project', project], {
    prefix,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return settle(ok, report, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));
}

/** A runner that failed without a failing test (a crash, no report) still counts as a failure. */
function settle(ok, report, read) {
  if (!existsSync(report)) return failed;
  const counts = read(JSON.parse(readFileSync(report, 'utf8')));
  return ok || counts.failed > 0 ? counts : add(counts, failed);
}

function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

function sentence({ passed: good, failed: bad, skipped }) {
  return `${good} passed, ${bad} failed, ${skipped} skipped`;
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

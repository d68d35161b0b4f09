// `npm test`: every suite, with one count at the end. `npm test -- types unit` runs only those named, and with words that have a
// dot or a slash only the test files whose path contains one of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environment, prepare, root, run, say, UserError } from './bootstrap.mjs';
import { headlessChromium } from './chromium.mjs';
import { electronRuntime, noDisplay } from './electron-runtime.mjs';

const areas = ['shared', 'shared/client', 'gateway', 'electron', 'electron/hosts/electron', 'renderer', 'tests'];
const reports = join(root, 'test-results');
const none = { passed: 0, failed: 0, skipped: 0 };
const passed = { passed: 1, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };
/** What failed, in words that are said again at the end: its own place is thousands of lines up. */
const failures = [];

/** Which projects of `vitest.config.ts` a suite is. */
const projects = { unit: 'node*', postgres: 'postgres*', components: 'browser' };

const suites = {
  types: ({ call }) => areas.map((area) => check(`types of ${area}`, call('tsc', typesOf(area)))).reduce(add),
  lint: ({ call }) => check('lint', call('biome', ['check', '--error-on-warnings', '.'])),
  unused: ({ call }) => check('unused', call('knip', [])),
  unit: (tools) => vitest(tools, 'unit', tools.windows.missing ? {} : tools.windows),
  postgres: (tools) => {
    if (onPath('postgres') || existsSync('/usr/lib/postgresql')) return vitest(tools, 'postgres', {});
    say('the tests on PostgreSQL are skipped, because it is not installed.');
    return { passed: 0, failed: 0, skipped: 1 };
  },
  components: (tools) => vitest(tools, 'components', {}),
  web: (tools) => playwright(tools, 'web'),
  electron: (tools) => {
    if (!tools.windows.missing) return playwright(tools, 'electron', tools.windows.env);
    say(`the Electron tests are skipped, because ${tools.windows.missing}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  },
};

await run((words) => {
  const files = words.filter((word) => /[./]/.test(word));
  const names = words.filter((word) => !files.includes(word));
  const unknown = names.find((name) => !(name in suites));
  if (unknown) throw new UserError(`no suite "${unknown}". There are: ${Object.keys(suites).join(', ')}.`, 2);
  const node = prepare();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const tools = toolbox(node, files);
  const total = (names.length ? names : Object.keys(suites))
    .map((name) => {
      const start = Date.now();
      const result = suites[name](tools);
      say(`${name}: ${sentence(result)} in ${Math.round((Date.now() - start) / 1000)} s`);
      return result;
    })
    .reduce(add);
  if (files.length && sentence(total) === sentence(none))
    throw new UserError(`no test file has ${files.join(' or ')} in its path.`, 2);
  if (failures.length) say(`what failed:\n${failures.map((failure) => `- ${failure}`).join('\n')}`);
  process.stdout.write(`${sentence(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});

/** What has not changed since the last time is not checked again. */
function typesOf(area) {
  const known = join(root, '.cache', 'types', `${area.replaceAll('/', '-')}.tsbuildinfo`);
  return ['-p', area, '--incremental', '--tsBuildInfoFile', known];
}

/** Browser and windows are looked for, and downloaded, where a suite needs them. */
function toolbox(node, files) {
  let windows;
  let browser;
  return {
    files,
    get windows() {
      windows ??= windowsFor(node);
      return windows;
    },
    get browser() {
      browser ??= headlessChromium(node);
      return browser;
    },
    call(command, parameters, { prefix = [], env = {} } = {}) {
      const [program, ...rest] = [...prefix, join(root, 'node_modules', '.bin', command), ...parameters];
      const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' };
      return spawnSync(program, rest, { ...options, env: environment(node, env) }).status === 0;
    },
  };
}

/** What opens real windows here: a virtual display where there is none. Or why nothing can. */
function windowsFor(node) {
  const runtime = electronRuntime(node, { download: !process.env.CI });
  if (runtime.missing) return { missing: runtime.missing };
  if (noDisplay() && !onPath('xvfb-run')) return { missing: `${noDisplay()} and no xvfb-run` };
  return noDisplay() ? { prefix: ['xvfb-run', '-a'], env: { PORTICO_VIRTUAL_DISPLAYS: '1' } } : {};
}

function vitest({ call, browser, files }, suite, { prefix = [], env = {} }) {
  const report = join(reports, `${suite}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = call('vitest', ['run', '--project', projects[suite], ...reporters, ...some(files, '--passWithNoTests')], {
    prefix,
    env: { ...env, PORTICO_CHROMIUM: browser },
  });
  return settle(suite, ok, report, (json) => {
    for (const file of json.testResults) {
      const bad = file.assertionResults.filter((test) => test.status === 'failed');
      for (const test of bad) note(suite, relative(root, file.name), test.fullName, test.failureMessages[0]);
      if (file.status === 'failed' && !bad.length) note(suite, relative(root, file.name), 'the file', file.message);
    }
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
    };
  });
}

function playwright({ call, browser, files }, project, env = {}) {
  const report = join(reports, `${project}.json`);
  const ok = call('playwright', ['test', '--project', project, ...some(files, '--pass-with-no-tests')], {
    env: { ...env, PORTICO_CHROMIUM: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return settle(project, ok, report, ({ stats, suites: files }) => {
    for (const { file, title, ok: good, tests } of files.flatMap(specsOf))
      if (!good) note(project, file, title, tests[0]?.results.at(-1)?.error?.message);
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
  });
}

/** A suite need not have one of the files that are asked for; one that has none at all is broken. */
function some(files, mayBeNone) {
  return files.length ? [mayBeNone, ...files] : [];
}

/** A runner that failed without a failing test (a crash, no report) still counts as a failure. */
function settle(project, ok, report, read) {
  if (!existsSync(report)) return check(`${project}: no report`, false);
  const counts = read(JSON.parse(readFileSync(report, 'utf8')));
  return ok || counts.failed > 0 ? counts : add(counts, check(`${project}: the runner itself`, false));
}

function specsOf({ specs = [], suites: inner = [] }) {
  return [...specs, ...inner.flatMap(specsOf)];
}

function check(what, ok) {
  if (!ok) failures.push(what);
  return ok ? passed : failed;
}

/** A failed test, and the first lines of why. */
function note(project, file, test, message) {
  const why = stripVTControlCharacters(message ?? '')
    .split('\n', 8)
    .join('\n    ');
  failures.push(`${project}: ${file}: ${test}\n    ${why}`);
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

// `npm test` runs every suite and prints one count at the end. `npm test -- types unit` runs only the named suites.
// Words with a dot or a slash select only the test files whose path contains one of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { installAgents } from './agents.mjs';
import { environment, prepare, root, run, say, UserError } from './bootstrap.mjs';
import { headlessChromium } from './chromium.mjs';
import { electronRuntime, noDisplay } from './electron-runtime.mjs';
import { getProgram } from './own-programs.mjs';
import { namesOnWindows, unitTestsOnWindows } from './unit-tests-on-windows.mjs';
import { beginWindows, byWindowsNode, endWindows, installWindows, windowsVariables } from './wine.mjs';

const areas = ['shared', 'shared/client', 'gateway', 'electron', 'electron/hosts/electron', 'renderer', 'tests'];
const reports = join(root, 'test-results');
const none = { passed: 0, failed: 0, skipped: 0 };
const passed = { passed: 1, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };
/** Failures, to print again at the end: their own place is thousands of lines up. */
const failures = [];

/** The projects of `vitest.config.ts` that a suite runs. */
const projects = {
  unit: 'node*',
  postgres: 'postgres*',
  components: 'browser',
  agents: 'agents',
  'windows-unit': 'node*',
};

const suites = {
  async types({ call }) {
    let total = none;
    for (const area of areas) total = add(total, check(`types of ${area}`, await call('tsc', getTypes(area))));
    return total;
  },
  lint: async ({ call }) => check('lint', await call('biome', ['check', '--error-on-warnings', '.'])),
  unused: async ({ call }) => check('unused', await call('knip', [])),
  unit: (tools) => vitest(tools, 'unit', tools.windows.missing ? {} : tools.windows),
  postgres: (tools) => {
    if (onPath('postgres') || (process.platform === 'linux' && existsSync('/usr/lib/postgresql')))
      return vitest(tools, 'postgres', {});
    say('the tests on PostgreSQL are skipped, because it is not installed.');
    return { passed: 0, failed: 0, skipped: 1 };
  },
  components: (tools) => vitest(tools, 'components', {}),
  agents: (tools) => {
    if (tools.files.length && !tools.files.some((file) => file.includes('agent'))) return none;
    const missing = installAgents();
    if (!missing) return vitest(tools, 'agents', {});
    say(`the tests with Codex and Claude Code are skipped, because ${missing}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  },
  web: (tools) => playwright(tools, 'web'),
  electron: (tools) => {
    if (!tools.windows.missing) return playwright(tools, 'electron', tools.windows.env);
    say(`the Electron tests are skipped, because ${tools.windows.missing}.`);
    // The project's workflows download Electron first. If it's missing there, that's a
    // failure and not a reason to skip.
    if (process.env.GITHUB_ACTIONS) return check('Electron is there', false);
    return { passed: 0, failed: 0, skipped: 1 };
  },
  async windows(tools) {
    const units = unitTestsOnWindows(tools.files);
    const journeys = tools.files.length === 0 || tools.files.some((file) => /\bwindows\b/.test(file));
    if (!journeys && units.length === 0) return none;
    const missing = installWindows();
    if (missing) {
      say(`the tests on Windows' Node are skipped, because ${missing}.`);
      return { passed: 0, failed: 0, skipped: 1 };
    }
    // The output goes to a file, because programs under wine can write to nothing else.
    const quiet = tools.print ? tools : quietly(tools);
    beginWindows();
    try {
      const how = { by: byWindowsNode, env: windowsVariables };
      const seen = journeys ? await playwright(quiet, 'windows') : none;
      const unit = Object.assign(Object.create(quiet), { files: units });
      const run = units.length ? await vitest(unit, 'windows-unit', how, ['--testNamePattern', namesOnWindows]) : none;
      return add(seen, run);
    } finally {
      endWindows();
      quiet.print();
    }
  },
};

/**
 * Steps run one after another; the suites of a step run at the same time. The unit tests start processes,
 * fill disks and wait, which sometimes leaves a processor idle for the other suites. End-to-end tests keep
 * all processors busy alone.
 */
const steps = [
  [['unit'], ['types', 'lint', 'unused', 'postgres', 'components', 'agents']],
  [['web']],
  [['electron']],
  [['windows']],
];

/** Wine takes two to three minutes more, and most changes have nothing to do with Windows. */
const byNameOnly = ['windows'];

await run(async (words) => {
  const files = words.filter((word) => /[./]/.test(word));
  const names = words.filter((word) => !files.includes(word));
  const unknown = names.find((name) => !(name in suites));
  if (unknown) throw new UserError(`no suite "${unknown}". There are: ${Object.keys(suites).join(', ')}.`, 2);
  const node = prepare();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const tools = toolbox(node, files);
  let total = none;
  const wanted = (lane) =>
    lane.filter((name) => (names.length === 0 ? !byNameOnly.includes(name) : names.includes(name)));
  for (const step of steps) {
    const lanes = step.map(wanted).filter((lane) => lane.length);
    const results = await Promise.all(lanes.map((lane, index) => runLane(lane, index === 0 ? tools : quietly(tools))));
    total = results.reduce(add, total);
  }
  if (files.length && sentence(total) === sentence(none))
    throw new UserError(`no test file has ${files.join(' or ')} in its path.`, 2);
  if (failures.length) say(`what failed:\n${failures.map((failure) => `- ${failure}`).join('\n')}`);
  process.stdout.write(`${sentence(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});

/** Runs the suites of a lane one after another. */
async function runLane(lane, tools) {
  let total = none;
  for (const name of lane) {
    const start = Date.now();
    const result = await suites[name](tools);
    tools.print?.();
    say(`${name}: ${sentence(result)} in ${Math.round((Date.now() - start) / 1000)} s`);
    total = add(total, result);
  }
  return total;
}

/**
 * Holds back a suite's output until it has ended, if another suite runs at the same time: nobody can
 * read the mixed lines of two.
 */
function quietly(tools) {
  const file = join(reports, 'printed.log');
  return Object.assign(Object.create(tools), {
    async call(command, parameters, options) {
      const output = openSync(file, 'a');
      try {
        return await tools.call(command, parameters, { ...options, output });
      } finally {
        closeSync(output);
      }
    },
    print() {
      if (!existsSync(file)) return;
      process.stdout.write(readFileSync(file));
      rmSync(file);
    },
  });
}

/**
 * Returns the arguments for tsc. It doesn't check unchanged files again. With more than one checker, each would
 * check most of the files itself.
 */
function getTypes(area) {
  const known = join(root, '.cache', 'types', `${area.replaceAll('/', '-')}.tsbuildinfo`);
  return ['-p', area, '--checkers', '1', '--incremental', '--tsBuildInfoFile', known];
}

/** The browser and the windows are found, or downloaded, when a suite first needs them. */
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
    async call(command, parameters, { by = (script) => [node, script], env = {}, output = 'inherit' } = {}) {
      const [program, ...rest] = [...by(getProgram(command)), ...parameters];
      const options = { cwd: root, stdio: ['ignore', output, output] };
      const [code] = await once(spawn(program, rest, { ...options, env: environment(node, env) }), 'exit');
      return code === 0;
    },
  };
}

/** Returns how real windows can open here, with a virtual display if there is none, or why they can't. */
function windowsFor(node) {
  const runtime = electronRuntime(node, { download: !process.env.CI });
  if (runtime.missing) return { missing: runtime.missing };
  if (noDisplay() && !onPath('xvfb-run')) return { missing: `${noDisplay()} and no xvfb-run` };
  const by = (script) => ['xvfb-run', '-a', node, script];
  return noDisplay() ? { by, env: { PORTICO_VIRTUAL_DISPLAYS: '1' } } : {};
}

async function vitest({ call, browser, files }, suite, { env = {}, ...how }, more = []) {
  // The path is relative to the run's folder, because Node for Windows has another name for that folder.
  const report = join('test-results', `${suite}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const parameters = ['run', '--project', projects[suite], ...reporters, ...some(files, '--passWithNoTests'), ...more];
  const ok = await call('vitest', parameters, { ...how, env: { ...env, PORTICO_CHROMIUM: browser } });
  return settle(suite, ok, join(root, report), (json) => {
    for (const file of json.testResults) {
      const bad = file.assertionResults.filter((test) => test.status === 'failed');
      const name = relative(root, file.name.replace(/^Z:/, ''));
      for (const test of bad) note(suite, name, test.fullName, test.failureMessages[0]);
      if (file.status === 'failed' && !bad.length) note(suite, name, 'the file', file.message);
    }
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
    };
  });
}

async function playwright({ call, browser, files }, project, env = {}) {
  const report = join(reports, `${project}.json`);
  const ok = await call('playwright', ['test', '--project', project, ...some(files, '--pass-with-no-tests')], {
    env: { ...env, PORTICO_CHROMIUM: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return settle(project, ok, report, ({ stats, suites: files }) => {
    for (const { file, title, ok: good, tests } of files.flatMap(getSpecs)) {
      const last = tests[0]?.results.at(-1);
      if (!good) note(project, file, title, last?.error?.message, getSeen(last));
    }
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
  });
}

/** A suite without any of the requested files is fine. A suite that has no tests at all is broken. */
function some(files, mayBeNone) {
  return files.length ? [mayBeNone, ...files] : [];
}

/** A runner that failed without a failing test (a crash, no report) still counts as a failure. */
function settle(project, ok, report, read) {
  if (!existsSync(report)) return check(`${project}: no report`, false);
  const counts = read(JSON.parse(readFileSync(report, 'utf8')));
  return ok || counts.failed > 0 ? counts : add(counts, check(`${project}: the runner itself`, false));
}

function getSpecs({ specs = [], suites: inner = [] }) {
  return [...specs, ...inner.flatMap(getSpecs)];
}

function check(title, ok) {
  if (!ok) failures.push(title);
  return ok ? passed : failed;
}

/** Records a failed test with the first lines of its error and what was visible then. */
function note(project, file, test, message, seen = []) {
  const why = stripVTControlCharacters(message ?? '').split('\n', 8);
  failures.push(`${project}: ${file}: ${test}\n    ${[...why, ...seen].join('\n    ')}`);
}

/** Returns what a page showed when its end-to-end test failed, because nobody sees another machine's screen. */
function getSeen(result) {
  const { path } = result?.attachments.find(({ name }) => name === 'error-context') ?? {};
  if (!path || !existsSync(path)) return [];
  const page = /```yaml\n(.*?)\n```/s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  return page.split('\n', 150);
}

function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

function sentence({ passed: good, failed: bad, skipped }) {
  return `${good} passed, ${bad} failed, ${skipped} skipped`;
}

function onPath(name) {
  const names = process.platform === 'win32' ? [name, `${name}.exe`] : [name];
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => names.some((candidate) => existsSync(join(folder, candidate))));
}

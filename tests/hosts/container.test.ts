import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { getProgram } from '../../scripts/own-programs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** The files that the stages of the Dockerfile copy from this repository. */
const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
  names.split(' '),
);

test("the container's build gets all files it needs, and its gateway opens a ledger with its own native modules", () => {
  const allowed = new Set([...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, name]) => name));
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((name) => !allowed.has(name))).toEqual([]);

  const folder = mkdtempSync(join(tmpdir(), 'portico-container-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  }
  // Windows lets every user make a junction, but not a symbolic link.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
    execFileSync(program, args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' });
  run(process.execPath, [join(folder, relative(root, getProgram('vite'))), 'build', '--app'], {
    PORTICO_BUILD: 'gateway',
  });

  const [, entry = ''] = /^ENTRYPOINT \["node", "(.+)"\]$/m.exec(read('Dockerfile')) ?? [];
  const made = run(process.execPath, [entry, 'account', 'create', '--name', 'Team', '--db', 'ledger.db', '--json']);
  expect(JSON.parse(made)).toMatchObject({ name: 'Team' });
});

// The coding agents that the suite `agents` runs, from npm. They have 200 MB each, so they aren't dependencies.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, say } from './bootstrap.mjs';

const programs = { '@anthropic-ai/claude-code': '2.1.329', '@openai/codex': '0.171.0' };
const folder = join(root, '.cache', 'agents');
const wanted = JSON.stringify(programs);

/** Installs the agents that aren't there yet. Returns null, or why that failed. */
export function installAgents() {
  const stamp = join(folder, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null;
  say('installing Codex and Claude Code for their tests (once)');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: programs }));
  // Each agent is one program in its platform's package, so no install script is needed.
  const parameters = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--min-release-age=7',
    '--loglevel=error',
    '--fetch-retries=1',
  ];
  if (npm(parameters, folder) !== 0) return 'npm could not install them';
  writeFileSync(stamp, wanted);
  return null;
}

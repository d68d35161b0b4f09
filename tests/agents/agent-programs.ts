import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { listen } from '#gateway/http/listen.ts';
import { openThreeVendors } from '../gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../gateway-doubles/vendors/scripted-calls.ts';

/**
 * Runs coding agents as npm has them, installed by `scripts/agents.mjs`, against a gateway on loopback
 * whose vendors are doubles.
 */

const programs = fileURLToPath(new URL('../../.cache/agents/node_modules/', import.meta.url));

export const codexProgram = join(programs, '@openai', 'codex', 'bin', 'codex.js');
export const claudeProgram = join(
  programs,
  '@anthropic-ai',
  `claude-code-${process.platform}-${process.arch}`,
  process.platform === 'win32' ? 'claude.exe' : 'claude',
);

export const file = 'note.txt';

/** The calls that create a file, read it and edit it, with whichever tools an agent offers for that. */
export const fileTask: readonly ScriptedCall[] = [
  shellStep(`printf 'one\\n' > ${file}`),
  shellStep(`cat ${file}`),
  new ScriptedCall(
    [/^apply_patch$/, `*** Begin Patch\n*** Update File: ${file}\n@@\n-one\n+two\n*** End Patch\n`],
    ...choices(`printf 'two\\n' > ${file}`),
  ),
];

function choices(command: string): ConstructorParameters<typeof ScriptedCall> {
  return [
    [/^exec_command$/, { cmd: command }],
    [/^Bash$/, { command, description: 'One step of the task' }],
    [/^exec$/, `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)} })));`],
  ];
}

function shellStep(command: string): ScriptedCall {
  return new ScriptedCall(...choices(command));
}

/** Opens a gateway that programs can reach, with a folder for one of them to work in. */
export async function openForAgents() {
  const vendors = await openThreeVendors({ balance: '100' }, { loop: () => fileTask });
  const server = await listen(vendors.gateway, { port: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'portico-agents-'));
  const home = join(folder, 'home');
  const work = join(folder, 'work');
  mkdirSync(home);
  mkdirSync(work);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    url: server.url,
    key: vendors.key,
    home,
    work,
    written: () => readFileSync(join(work, file), 'utf8'),
    /** The vendors' refusals, and the requests that their doubles received. */
    refusals: () => vendors.calls.flatMap(({ refusal }) => refusal?.message ?? []),
    calls: vendors.calls,
    entries: vendors.entries,
    /** Writes a file of the agent's settings. */
    setting(path: string, content: string) {
      const target = join(home, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    },
  };
}

/** Runs a program to its end, without this machine's own settings. */
export async function runAgent(
  [program, ...parameters]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) {
  const own = { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), HOME: homedir(), ...env };
  const child = spawn(program ?? '', parameters, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject)),
  ]);
  return { code, stdout, output: `${stdout}\n${stderr}` };
}

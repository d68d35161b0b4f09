import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder is on the same disk as `node_modules`, so that its files can be linked instead of copied. */
const parent = fileURLToPath(new URL('../../.cache/', import.meta.url));

/** Where and as which user a program runs, from WORKDIR, ENV and USER. */
export interface Setting {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
}

/** A running container: its main process, and that process's id on the host. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
}

/**
 * Returns why no clean root can be made here, or null. It needs bubblewrap (Debian: bubblewrap) for the namespaces, and
 * root, because only root can give files to another user.
 */
export function noCleanRoot(): string | null {
  if (process.getuid?.() !== 0) return 'it takes root';
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', 'true'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'bubblewrap is not installed or may not make namespaces';
  }
}

/**
 * Makes a file system like that of `node:24-bookworm-slim` without any of our files: this machine's Debian,
 * read-only, this Node, and the user `node`. It contains more programs than that image, so it can't show
 * that a RUN step lacks one.
 */
export function openCleanRoot() {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'image-'));
  for (const name of ['usr', 'proc', 'dev', 'tmp', 'etc']) mkdirSync(join(folder, name), { mode: 0o755 });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder, name));
  execFileSync('chmod', ['755', folder]);
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n');
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  return {
    folder,
    /**
     * Runs a program to its end, without network access unless it must download something. Throws an error
     * with its output if it fails.
     */
    async run(command: readonly string[], setting: Setting, more: readonly string[] = ['--unshare-net']) {
      await run('bwrap', [...box(folder, setting), ...more, '--', ...asUser(setting, command)], { env: {} });
    },
    /** Starts a program as process 1, in a network of its own. */
    start: (command: readonly string[], setting: Setting) => start(folder, command, setting),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type CleanRoot = ReturnType<typeof openCleanRoot>;

/** Runs another program in a running container, as `docker exec` does. Returns its output, or throws if it fails. */
export async function runBeside({ pid }: Running, command: readonly string[], setting: Setting): Promise<string> {
  const enter = ['--target', String(pid), '--mount', '--net', '--pid', '--root', `--wd=/proc/${pid}/cwd`];
  const env = Object.entries(environment(setting)).map(([name, value]) => `${name}=${value}`);
  const { stdout } = await run('nsenter', [...enter, 'env', '-i', ...env, ...asUser(setting, command)]);
  return stdout;
}

async function start(folder: string, command: readonly string[], setting: Setting): Promise<Running> {
  const alone = ['--unshare-net', '--unshare-pid', '--as-pid-1', '--info-fd', '3'];
  const child = spawn('bwrap', [...box(folder, setting), ...alone, '--', ...asUser(setting, command)], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let info = '';
  for await (const chunk of child.stdio[3] as NodeJS.ReadableStream) info += String(chunk);
  return { child, pid: (JSON.parse(info) as { 'child-pid': number })['child-pid'] };
}

const environment = ({ env, user }: Setting): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: user === 'root' ? '/root' : `/home/${user}`,
  ...env,
});

/** Returns the arguments for mounts, working directory and environment. Nothing else of this machine is visible. */
function box(folder: string, setting: Setting): string[] {
  const env = Object.entries(environment(setting)).flatMap(([name, value]) => ['--setenv', name, value]);
  // Folders that bubblewrap creates for a mount would be closed to everybody except root, so this one gets a mode.
  const usr = ['--ro-bind', '/usr', '/usr', '--tmpfs', '/usr/local', '--perms', '0755', '--dir', '/usr/local/bin'];
  const node = ['--ro-bind', process.execPath, '/usr/local/bin/node'];
  const kernel = ['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/tmp', '--die-with-parent'];
  return ['--bind', folder, '/', ...usr, ...node, ...kernel, ...env, '--chdir', setting.directory];
}

const asUser = ({ user }: Setting, command: readonly string[]): string[] =>
  user === 'root' ? [...command] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', ...command];

import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';

interface SearchPathDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** The time limit for a slow shell. */
const limitMs = 5_000;
const mark = '__portico_environment__';

/**
 * Returns the PATH for tool servers: that of the login shell combined with our own. A program started from the desktop
 * has a short PATH without what Homebrew, nvm and others add in the shell's files, so it wouldn't find `npx`. The shell
 * is asked once. Returns null if it prints nothing, or if there is none, as on Windows.
 */
export function searchPath({ env, platform }: SearchPathDeps): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null;
  async function ask(): Promise<string | null> {
    if (platform === 'win32' || !env.SHELL) return null;
    const loginFolders = await loginPath(env.SHELL, env);
    if (loginFolders === null) return null;
    const own = env.PATH ?? '';
    // An app started from a terminal has that terminal's PATH, which the user may have set up, so it comes first.
    const all = env.TERM ? [own, loginFolders] : [loginFolders, own];
    return [...new Set(all.flatMap((path) => path.split(delimiter)).filter((folder) => folder !== ''))].join(delimiter);
  }
  return () => (asked ??= ask());
}

/** The shell's files may print anything, so only the text between the two marks counts. */
function loginPath(shell: string, env: SearchPathDeps['env']): Promise<string | null> {
  const command = `echo ${mark}; /usr/bin/env; echo ${mark}`;
  return new Promise((resolve) => {
    const asked = execFile(
      shell,
      ['-ilc', command],
      { env: { ...env, DISABLE_AUTO_UPDATE: 'true' }, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 4_000_000 },
      (_error, output) => {
        const [, between = ''] = output.split(mark);
        resolve(/^PATH=(.+)$/m.exec(between)?.[1] ?? null);
      },
    );
    // A shell that asks a question gets no input.
    asked.stdin?.end();
  });
}

import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';

interface SearchPathDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A shell that starts slowly is not waited for longer. */
const limitMs = 5_000;
const mark = '__portico_environment__';

/**
 * Where programs are looked for: what the login shell says, and what we have ourselves. A program that the desktop starts has a short
 * PATH, without what Homebrew, nvm and others add in the files of the shell, so that it would find no `npx`. Asked once, and null where
 * the shell says nothing, or there is none, as on Windows.
 */
export function searchPath({ env, platform }: SearchPathDeps): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null;
  async function ask(): Promise<string | null> {
    if (platform === 'win32' || !env.SHELL) return null;
    const said = await loginPath(env.SHELL, env);
    if (said === null) return null;
    const own = env.PATH ?? '';
    // Whoever started us in a terminal has set up that terminal.
    const all = env.TERM ? [own, said] : [said, own];
    return [...new Set(all.flatMap((path) => path.split(delimiter)).filter((folder) => folder !== ''))].join(delimiter);
  }
  return () => (asked ??= ask());
}

/** The files of a shell may print anything: what counts stands between two marks. */
function loginPath(shell: string, env: SearchPathDeps['env']): Promise<string | null> {
  const command = `echo ${mark}; /usr/bin/env; echo ${mark}`;
  return new Promise((resolve) => {
    const asked = execFile(
      shell,
      ['-ilc', command],
      { env: { ...env, DISABLE_AUTO_UPDATE: 'true' }, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 4_000_000 },
      (_error, said) => {
        const [, between = ''] = said.split(mark);
        resolve(/^PATH=(.+)$/m.exec(between)?.[1] ?? null);
      },
    );
    // A shell that asks something gets no answer.
    asked.stdin?.end();
  });
}

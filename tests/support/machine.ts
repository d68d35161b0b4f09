import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';

/** What figures were measured on, in a line. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor}, ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}`;
}

/** The commit whose sources are measured; `+` behind it: with changes other than those of earlier results. */
export function measuredCommit(root: string): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs');
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
}

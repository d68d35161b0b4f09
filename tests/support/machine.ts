import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';

/** Describes the machine that figures were measured on, in one line. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor}, ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}`;
}

/**
 * Returns the commit whose sources are measured. A `+` after it means that there were
 * uncommitted changes outside docs/.
 */
export function measuredCommit(root: string): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs');
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
}

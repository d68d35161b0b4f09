import { execFileSync } from 'node:child_process';

/** Returns whether a program of this name is installed. */
export function hasTool(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

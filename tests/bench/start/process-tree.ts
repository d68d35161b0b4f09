import { readdirSync, readFileSync } from 'node:fs';

/** The ticks per second in which `/proc` counts. */
const ticksPerSecond = 100;

/** Returns a process and all its descendants, from Linux's `/proc`. */
function getTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = getStat(Number(name));
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const tree = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (!tree.has(parent) || tree.has(pid)) continue;
      tree.add(pid);
      grown = true;
    }
  }
  return [...tree];
}

/** Returns the fields after the name, which may contain spaces. Null if the process is gone. */
function getStat(pid: number): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}

/** Returns the seconds of processor time that the tree has used. */
export const getCpuSeconds = (root: number): number =>
  getTree(root)
    .map((pid) => getStat(pid))
    .reduce((sum, fields) => sum + (fields ? Number(fields[11]) + Number(fields[12]) : 0), 0) / ticksPerSecond;

/** Returns the proportional set size of the tree in MB: memory that processes share is divided among them. */
export const getMemory = (root: number): number =>
  getTree(root).reduce((sum, pid) => {
    try {
      return sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return sum;
    }
  }, 0) / 1024;

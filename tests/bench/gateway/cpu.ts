import { readdirSync, readFileSync } from 'node:fs';

/**
 * Measures processor time and memory of a process and all its descendants.
 *
 * Linux reports processor time in two places, and neither is enough alone. `/proc/PID/stat` has the user and system
 * time of all threads, including ended ones, but only in ticks of 10 ms. `/proc/PID/task/TID/schedstat` is exact to the
 * nanosecond, but the time of an ended thread is gone. The larger of the two is exact while no thread has ended, and
 * otherwise less than 20 ms too low. Processes that ended (such as those for PostgreSQL's connections) are counted in
 * their parent's `cutime` and `cstime`.
 */
const microsecondsPerTick = 10_000;

/** Returns the processor time used so far, user and system, in microseconds. */
export function cpuMicroseconds(processId: number): number {
  return getTree(processId).reduce((sum, { id, cpuTicks, endedChildrenTicks }) => {
    const all = Math.max(livingThreads(id), cpuTicks * microsecondsPerTick);
    return sum + all + endedChildrenTicks * microsecondsPerTick;
  }, 0);
}

/** Returns the resident memory in KB. */
export function residentKb(processId: number): number {
  return getTree(processId).reduce((sum, { id }) => {
    return sum + Number(/VmRSS:\s+(\d+)/.exec(readIfAlive(`/proc/${id}/status`))?.[1] ?? 0);
  }, 0);
}

function livingThreads(processId: number): number {
  const threads = `/proc/${processId}/task`;
  return namesIfAlive(threads).reduce((sum, thread) => {
    return sum + Number(readIfAlive(`${threads}/${thread}/schedstat`).split(' ')[0]) / 1000;
  }, 0);
}

interface ProcessTimes {
  readonly id: number;
  readonly parentId: number;
  readonly cpuTicks: number;
  readonly endedChildrenTicks: number;
}

function getTree(root: number): ProcessTimes[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => getTimes(Number(name)));
  const below = (id: number): ProcessTimes[] =>
    all.filter(({ parentId }) => parentId === id).flatMap((child) => [child, ...below(child.id)]);
  return [...all.filter(({ id }) => id === root), ...below(root)];
}

function getTimes(id: number): ProcessTimes {
  const stat = readIfAlive(`/proc/${id}/stat`);
  // The name is in parentheses and may contain any character. The fields after it are those of
  // proc_pid_stat(5), from the third on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3] ?? 0);
  return { id, parentId: field(4), cpuTicks: field(14) + field(15), endedChildrenTicks: field(16) + field(17) };
}

/** Reads a file of a process or thread. Returns an empty text if it has ended since it was listed. */
function readIfAlive(path: string): string {
  return ifAlive(() => readFileSync(path, 'utf8'), '');
}

function namesIfAlive(path: string): string[] {
  return ifAlive(() => readdirSync(path), []);
}

function ifAlive<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return otherwise;
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processor time and memory of a process and of all that it started.
 *
 * Linux tells processor time in two places, and neither is enough by itself. `/proc/PID/stat` has user and system time of
 * all threads, those that have ended included, but cut to ticks of 10 ms. `/proc/PID/task/TID/schedstat` is exact to the
 * nanosecond, but a thread that ends takes its time along. The larger of the two is exact while no thread has ended,
 * and short by less than 20 ms otherwise. Processes that ended (a connection's process in PostgreSQL) stand in their parent's
 * `cutime` and `cstime`.
 */
const microsecondsPerTick = 10_000;

/** Processor time used so far, user and system, in microseconds. */
export function cpuMicroseconds(processId: number): number {
  return getTree(processId).reduce((sum, { id, cpuTicks, endedChildrenTicks }) => {
    const all = Math.max(livingThreads(id), cpuTicks * microsecondsPerTick);
    return sum + all + endedChildrenTicks * microsecondsPerTick;
  }, 0);
}

/** Resident memory in KB. */
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
  // The name stands in brackets and may hold anything; the fields after it are proc_pid_stat(5)'s from the third on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3] ?? 0);
  return { id, parentId: field(4), cpuTicks: field(14) + field(15), endedChildrenTicks: field(16) + field(17) };
}

/** Nothing of a process or thread that has ended since it was listed. */
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

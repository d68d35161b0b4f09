import { constants, setPriority } from 'node:os';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { transferredError } from '../../runtime/threads/transferred-error.ts';
import { workerTasks } from './worker-tasks.ts';

// Large requests wait for small ones. Only on Linux has a thread a priority of its own.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', ({ task, input }: { task: string; input: never }) => {
  try {
    const run = workerTasks.get(task);
    if (!run) throw new Error(`there is no task "${task}"`);
    const value = run(input);
    const given: TransferListItem[] = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ value }, given);
  } catch (error) {
    parentPort?.postMessage({ error: transferredError(error) });
  }
});

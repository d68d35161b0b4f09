import { constants, setPriority } from 'node:os';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { said } from '../threads/transferred-error.ts';
import { type Tasks, tasks } from './worker-tasks.ts';

// Large requests wait for small ones. Only on Linux has a thread a priority of its own.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', ({ name, input }: { name: keyof Tasks; input: never }) => {
  try {
    const value = tasks[name](input);
    const given: TransferListItem[] = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ value }, given);
  } catch (error) {
    parentPort?.postMessage({ error: said(error) });
  }
});

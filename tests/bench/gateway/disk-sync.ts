import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { median } from './statistics.ts';

const times = 40;
/** About as much as one small commit appends to a write-ahead log. */
const appended = Buffer.alloc(32_768, 1);
const sync = promisify(fdatasync);

/** Measures how long the disk below this file takes to make a small append durable: the median in milliseconds. */
export async function diskSyncMs(path: string): Promise<number> {
  const file = openSync(path, 'w');
  const taken: number[] = [];
  try {
    for (let time = 0; time < times; time += 1) {
      writeSync(file, appended);
      const began = performance.now();
      await sync(file);
      taken.push(performance.now() - began);
    }
  } finally {
    closeSync(file);
  }
  return median(taken);
}

import { openSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Run as a program of its own: writes to the file that is named, and is sent a signal twenty thousand times meanwhile. */
process.on('SIGUSR2', () => {});
const file = openSync(process.argv[2] ?? '', 'w');
const signalling = new Worker(
  `const { workerData } = require('node:worker_threads');
  for (let sent = 0; sent < 20_000; sent++) process.kill(workerData, 'SIGUSR2');`,
  { eval: true, workerData: process.pid },
);
let sending = true;
signalling.once('exit', () => {
  sending = false;
});
function write(): void {
  for (let turn = 0; turn < 200; turn++) writeSync(file, 'x', 0);
  if (sending) setImmediate(write);
}
write();

import { openSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** This file runs as a program of its own. It writes to the named file while it receives twenty thousand signals. */
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
  for (let count = 0; count < 200; count++) writeSync(file, 'x', 0);
  if (sending) setImmediate(write);
}
write();

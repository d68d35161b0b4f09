/**
 * This file is loaded into a process before its program. On each SIGUSR2 it writes a line with the longest time that
 * the main thread worked between two checks since the last signal, in milliseconds of processor time. Processor time
 * excludes what other processes use.
 */
let before = worked();
let longest = 0;

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

setInterval(() => {
  const now = worked();
  longest = Math.max(longest, now - before);
  before = now;
}, 2).unref();

process.on('SIGUSR2', () => {
  process.stderr.write(`${JSON.stringify({ event: 'held', level: 'info', longest_ms: longest })}\n`);
  longest = 0;
});

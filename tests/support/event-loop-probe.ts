/**
 * Loaded into a process before its program: each SIGUSR2 writes one line with the longest that its first thread has worked
 * between two looks since the last signal, in milliseconds of its processor. What other processes take does not count.
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

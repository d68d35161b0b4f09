import { spawn } from 'node:child_process';

/**
 * Runs a program in the foreground and returns its exit code. Ctrl-C reaches it exactly once: directly from a terminal,
 * otherwise through this process.
 */
export function foreground(command, parameters, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { stdio: 'inherit', ...options });
    const forward = (signal) => {
      clearInterval(watch);
      // A terminal signals the whole group, but never with SIGTERM. A supervisor may signal only this process.
      if (!process.stdin.isTTY || signal === 'SIGTERM') child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const watch = whenOrphaned(() => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.off(name, forward);
      resolve(signal && signal !== 'SIGINT' && signal !== 'SIGTERM' ? 1 : (code ?? 0));
    });
  });
}

/**
 * npm runs a script through a shell that may end without forwarding a signal, and then nobody else ends the program.
 * Acts only once, because a program takes a second signal as a request to stop at once.
 */
function whenOrphaned(act) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 500);
  return watch;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface VirtualDisplay {
  /** What goes into `DISPLAY`. */
  readonly name: string;
  stop(): Promise<void>;
}

/** A screen of its own, on a number that the server finds free: windows on one screen take the focus from each other. */
export async function startVirtualDisplay(): Promise<VirtualDisplay> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  // It says so where it tries a number that somebody has; that matters only if it ends.
  let said = '';
  server.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`Xvfb ended with ${code}: ${said}`);
  });
  const number = once(createInterface(server.stdio[3] as Readable), 'line');
  const [line] = await Promise.race([number, ended]);
  return {
    name: `:${line}`,
    async stop() {
      server.kill();
      await ended.catch(() => {});
    },
  };
}

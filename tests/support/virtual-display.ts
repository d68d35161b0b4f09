import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface VirtualDisplay {
  /** The value for `DISPLAY`. */
  readonly name: string;
  stop(): Promise<void>;
}

/**
 * Starts a virtual screen on a number that the server finds free. Tests need separate screens because windows on one
 * screen take the focus from each other.
 */
export async function startVirtualDisplay(): Promise<VirtualDisplay> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  // The server also writes here when it tries a number that is taken. That matters only if it exits.
  let errorOutput = '';
  server.stderr?.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`Xvfb ended with ${code}: ${errorOutput}`);
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

import { RPCHandler } from '@orpc/server/message-port';
import type { Served } from '../../core/rpc-errors.ts';

/** The part of Electron's `MessagePortMain` that is used. */
export interface MainPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
}

const mostUnread = 256;

/**
 * Serves the core over one message port. A port has no back-pressure of its own: the page says now and then how many
 * messages it has read (a bare number), and a window that does not read makes its streams wait.
 */
export function portRpc(core: Served): (port: MainPort) => void {
  return (port) => {
    let unread = 0;
    let closed = false;
    let waiting: (() => void)[] = [];
    const wakeAll = () => {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    };
    /** Called before each message; nothing is ever transferred. */
    const room = async (): Promise<null> => {
      while (unread >= mostUnread && !closed) await new Promise<void>((resolve) => waiting.push(resolve));
      unread += 1;
      return null;
    };
    const handler = new RPCHandler(core.router, { ...core.rpc, experimental_transfer: room });
    const read = (count: number) => {
      unread = Math.max(0, unread - count);
      wakeAll();
    };
    port.on('close', () => {
      closed = true;
      wakeAll();
    });
    handler.upgrade(
      {
        on(event: string, listener: (event?: { data: unknown }) => void) {
          if (event === 'close') return void port.on('close', () => listener());
          port.on('message', ({ data }) => (typeof data === 'number' ? read(data) : listener({ data })));
        },
        postMessage: (message: unknown) => port.postMessage(message),
      },
      { context: {} },
    );
    port.start();
  };
}

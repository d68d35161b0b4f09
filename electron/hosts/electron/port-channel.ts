import type { Channel } from '#core/rpc/serve.ts';

export interface MainPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
}

const maxUnread = 256;

/**
 * The message port of a window. Ports have no back-pressure, so the page reports how many messages it has read (as
 * plain numbers), and sending pauses while too many are unread.
 */
export function portChannel(port: MainPort): Channel {
  let unread = 0;
  let closed = false;
  let waiting: (() => void)[] = [];
  const wakeAll = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  port.on('close', () => {
    closed = true;
    wakeAll();
  });
  return {
    onMessage(listener) {
      port.on('message', ({ data }) => {
        if (typeof data !== 'number') return listener(data);
        unread = data > 0 ? Math.max(0, unread - data) : unread;
        wakeAll();
      });
      port.start();
    },
    onClose: (listener) => void port.on('close', listener),
    async send(data) {
      while (unread >= maxUnread && !closed) await new Promise<void>((resolve) => waiting.push(resolve));
      if (closed) return;
      unread += 1;
      port.postMessage(data);
    },
  };
}

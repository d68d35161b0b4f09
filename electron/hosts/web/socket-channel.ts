import type { WebSocket } from 'ws';
import type { Channel } from '#core/rpc/serve.ts';

/** A browser's socket. What it has not read yet stays in the system's buffers, and holds back what would follow. */
export function socketChannel(socket: WebSocket): Channel {
  return {
    onMessage: (listener) => void socket.addEventListener('message', ({ data }) => listener(data)),
    onClose: (listener) => void socket.addEventListener('close', () => listener()),
    send: (data) =>
      new Promise((resolve) => {
        // A failed write is followed by the close event, which ends all that is under way.
        socket.send(data as Parameters<WebSocket['send']>[0], () => resolve());
      }),
  };
}

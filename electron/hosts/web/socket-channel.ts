import type { WebSocket } from 'ws';
import type { Channel } from '#core/rpc/serve.ts';

/** The socket of a browser. Unread data stays in the system's buffers and delays further sends. */
export function socketChannel(socket: WebSocket): Channel {
  return {
    onMessage: (listener) => void socket.addEventListener('message', ({ data }) => listener(data)),
    onClose: (listener) => void socket.addEventListener('close', () => listener()),
    send: (data) =>
      new Promise((resolve) => {
        // After a failed write, the close event ends everything.
        socket.send(data as Parameters<WebSocket['send']>[0], () => resolve());
      }),
  };
}

import { RPCHandler } from '@orpc/server/ws';
import type { WebSocket } from 'ws';
import type { Served } from '../../core/rpc-errors.ts';

/** Serves the core over one WebSocket. A browser that does not read makes its streams wait: nothing piles up here. */
export function socketRpc(core: Served): (socket: WebSocket) => void {
  const handler = new RPCHandler(core.router, core.rpc);
  return (socket) => {
    const send = (data: Parameters<WebSocket['send']>[0]) =>
      new Promise<void>((resolve) => {
        // A socket that is gone is told by its close event; there is nobody left to hear of a failed write.
        socket.send(data, () => resolve());
      });
    const addEventListener: WebSocket['addEventListener'] = socket.addEventListener.bind(socket);
    void handler.upgrade({ addEventListener, send }, { context: {} });
  };
}

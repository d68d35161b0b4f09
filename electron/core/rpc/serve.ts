import { RPCHandler } from '@orpc/server/ws';
import type { Served } from './rpc-errors.ts';

/** A message channel to one window. */
export interface Channel {
  onMessage(listener: (data: unknown) => void): void;
  onClose(listener: () => void): void;
  /** Resolves when more may be sent (back-pressure). Never rejects. */
  send(data: unknown): Promise<void>;
}

/**
 * Serves the contract over channels. Every host uses the same handler, because oRPC’s messages are the same text on
 * sockets and ports. It survives malformed messages.
 */
export function serveChannels(served: Served): (channel: Channel) => void {
  const handler = new RPCHandler(served.router, served.rpc);
  return (channel) => {
    const peer = {
      send: channel.send,
      addEventListener(event: string, listener: (event: { data: unknown }) => void) {
        if (event === 'close') channel.onClose(() => listener({ data: null }));
        else channel.onMessage((data) => listener({ data }));
      },
    };
    void handler.upgrade(peer as Parameters<typeof handler.upgrade>[0], { context: {} });
  };
}

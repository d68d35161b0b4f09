import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import type { Served } from '#core/rpc/rpc-errors.ts';
import { serveChannels } from '#core/rpc/serve.ts';
import type { Contract } from '#shared/contract/index.ts';
import { type MainPort, portChannel } from '../../electron/hosts/electron/port-channel.ts';
import { socketChannel } from '../../electron/hosts/web/socket-channel.ts';
import { openWebHost } from '../../electron/hosts/web/web-host.ts';
import { acknowledging } from '../../renderer/api/acknowledging-port.ts';
import { openSocket, tradeLink } from '../support/web-page.ts';

export type Client = ContractRouterClient<Contract>;

export interface Connected {
  readonly client: Client;
  /** Closes the window's port or socket without a message, as when the window is gone. */
  lose(): void;
  /** Sends data that no client of ours would send. */
  sendRaw(data: string | Uint8Array): void;
  close(): Promise<void>;
}

/** Opens a window of the Electron host: its real adapter over a real message channel. */
async function overPort(served: Served): Promise<Connected> {
  const { port1, port2 } = new MessageChannel();
  serveChannels(served)(portChannel(asMainPort(port1)));
  // Node's port has all methods of the web's port that are used here.
  const page = port2 as unknown as globalThis.MessagePort;
  const link = new PortLink<Record<never, never>>({ port: acknowledging(page) });
  port2.start();
  return {
    client: createORPCClient(link),
    lose: () => port2.close(),
    sendRaw: (data) => port2.postMessage(data),
    async close() {
      port2.close();
      port1.close();
    },
  };
}

/** Electron's port emits events and Node's port emits values. Nothing else differs. */
export function asMainPort(port: import('node:worker_threads').MessagePort): MainPort {
  return {
    on(event: 'message' | 'close', listener: (event: { data: unknown }) => void) {
      return event === 'close' ? port.on('close', listener) : port.on('message', (data) => listener({ data }));
    },
    postMessage: (message) => port.postMessage(message),
    start: () => port.start(),
  };
}

/** Opens a browser tab of the web host: its real server, link, session and socket. */
async function overSocket(served: Served): Promise<Connected> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
  const serve = serveChannels(served);
  const web = await openWebHost({
    port: 0,
    pageFolder: folder,
    takePrint: () => null,
    serve: (accepted) => serve(socketChannel(accepted)),
    printLink: () => {},
    language: () => 'en',
    elapsed: () => performance.now(),
  });
  const { token } = await tradeLink(web.newLink());
  const socket = await openSocket(web.url, { token });
  // The package's socket has all of the browser's methods that are used here.
  const link = new SocketLink<Record<never, never>>({ websocket: socket as unknown as globalThis.WebSocket });
  return {
    client: createORPCClient(link),
    lose: () => socket.terminate(),
    sendRaw: (data) => socket.send(data),
    async close() {
      if (socket.readyState !== socket.CLOSED) {
        socket.terminate();
        await once(socket, 'close');
      }
      await web.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export const transports = { 'message port': overPort, 'web socket': overSocket };

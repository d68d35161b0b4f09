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
  /** The window is gone: its port or socket closes without a word. */
  lose(): void;
  /** Sends something that no client of ours would. */
  sendRaw(data: string | Uint8Array): void;
  close(): Promise<void>;
}

/** A window of the Electron host: its very adapter, over a real message channel. */
async function overPort(served: Served): Promise<Connected> {
  const { port1, port2 } = new MessageChannel();
  serveChannels(served)(portChannel(asMainPort(port1)));
  // Node's port has the web port's methods that are used.
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

/** Electron gives events, Node's ports give values; nothing else differs. */
export function asMainPort(port: import('node:worker_threads').MessagePort): MainPort {
  return {
    on(event: 'message' | 'close', listener: (event: { data: unknown }) => void) {
      return event === 'close' ? port.on('close', listener) : port.on('message', (data) => listener({ data }));
    },
    postMessage: (message) => port.postMessage(message),
    start: () => port.start(),
  };
}

/** A browser tab of the web host: its very server, link, session and socket. */
async function overSocket(served: Served): Promise<Connected> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
  const serve = serveChannels(served);
  const web = await openWebHost({
    port: 0,
    pageFolder: folder,
    takePrint: () => null,
    serve: (each) => serve(socketChannel(each)),
    printLink: () => {},
    language: () => 'en',
    elapsed: () => performance.now(),
  });
  const { token } = await tradeLink(web.newLink());
  const socket = await openSocket(web.url, { token });
  // The package's socket has the browser's methods that are used.
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

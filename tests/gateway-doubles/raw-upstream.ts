import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A provider made of a bare socket, to see exactly when it is hung up on. Says `said` after each request's head. */
export async function openRawUpstream(said: string) {
  const sockets = new Set<Socket>();
  const calls: { readonly closed: Promise<void> }[] = [];
  let flooding = true;
  let called: (() => void) | null = null;
  const server = createServer((socket) => {
    sockets.add(socket);
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        sockets.delete(socket);
        resolve();
      });
    });
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (!bytes.includes('POST ')) return;
      calls.push({ closed });
      if (said) socket.write(said);
      called?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    calls: calls as readonly { readonly closed: Promise<void> }[],
    /** The first call, once it has come. */
    async call() {
      while (calls.length === 0) {
        await new Promise<void>((resolve) => {
          called = resolve;
        });
      }
      const [first] = calls;
      if (!first) throw new Error('nobody called');
      return first;
    },
    /** Sends more on every open connection. */
    say(text: string) {
      for (const socket of sockets) socket.write(text);
    },
    /** Sends this again and again, as fast as it is taken. Returns how many bytes were taken so far. */
    flood(text: string) {
      for (const socket of sockets) {
        const more = () => {
          while (flooding && !socket.destroyed && socket.write(text));
        };
        socket.on('drain', more);
        more();
      }
      return () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
    },
    /** Ends every flood: what was given to the sockets still goes out. */
    stop() {
      flooding = false;
    },
    /** Ends every connection behind what was sent on it, without having said that the answer is complete. */
    breakOff() {
      flooding = false;
      for (const socket of sockets) socket.end();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An HTTP chunk of a chunked answer. */
export const httpChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

export const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** One event of a streamed completion. */
export const completionEvent = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;

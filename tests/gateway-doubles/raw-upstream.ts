import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/**
 * Opens a provider made of a plain socket, to see exactly when the gateway hangs up. It sends `greeting`
 * after each request's head.
 */
export async function openRawUpstream(greeting: string) {
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
      if (greeting) socket.write(greeting);
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
    /** Resolves with the first call. */
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
    /** Sends this text on every open connection. */
    say(text: string) {
      for (const socket of sockets) socket.write(text);
    },
    /** Sends this text again and again, as fast as it's accepted. Returns a function for the bytes accepted so far. */
    flood(text: string) {
      for (const socket of sockets) {
        const writeMore = () => {
          while (flooding && !socket.destroyed && socket.write(text));
        };
        socket.on('drain', writeMore);
        writeMore();
      }
      return () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
    },
    /** Stops every flood. Data that the sockets already have is still sent. */
    stop() {
      flooding = false;
    },
    /** Ends every connection after the data sent so far, without a sign that the answer is complete. */
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

/** Formats a chunk of an HTTP answer with chunked transfer encoding. */
export const httpChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

export const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** Formats one event of a streamed completion. */
export const completionEvent = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
